#!/usr/bin/env bash
# Usage: layers.sh ROOT: the picture of the layers in docs/architecture.md is that of the sources, and one that is not is refused.
set -euo pipefail
root=$(realpath "${1:?usage: layers.sh ROOT}")
command -v python3 > /dev/null || { echo "skipped: python3 is not installed (package python3)"; exit 77; }
fail() { echo "FAILED: $*"; exit 1; }
python3 "$root/tools/layers.py" --check || fail "tools/layers.py draws the picture anew"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/docs"
cp -r "$root/src" "$folder/"
cp -r "$root/docs/images" "$root/docs/architecture.md" "$folder/docs/"
# expect TEXT: the copy is refused with TEXT.
expect() {
  local code=0
  python3 "$root/tools/layers.py" --root "$folder" --check > "$folder/said" || code=$?
  [ $code = 1 ] || fail "exit code $code, expected 1: $(cat "$folder/said")"
  grep -qF -- "$1" "$folder/said" || fail "no '$1' in: $(cat "$folder/said")"
}
mkdir "$folder/src/extra"
printf '#include "base/text.h"\n' > "$folder/src/extra/extra.h"
sed -i 's/^kiln_layer(cli /kiln_layer(extra)\n&/' "$folder/src/CMakeLists.txt"
expect "layers.svg: has no extra->base"
expect "architecture.md: no row for the layer extra"
cp "$root/src/CMakeLists.txt" "$folder/src/"
printf '#include "launch/bound_launch.h"\n' >> "$folder/src/measure/timer.h"
expect "layers.svg: has no measure->launch"
