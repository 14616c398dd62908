#!/usr/bin/env bash
# program.sh LIBRARY SOURCE COMPILER OPTION...: compiles one file, links it with libkiln.so and nothing else of Kiln's, and runs it.
set -euo pipefail
library=$1 source=$2
shift 2
command -v "$1" > /dev/null || { echo "skipped: no $1 on this machine"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$@" "$source" -o program "$library" "-Wl,-rpath,$(dirname "$library")"
export XDG_CACHE_HOME=$folder/cache
./program | tee output
case $source in
  */axpy.*) grep -q 'y = 2.5' output || { echo "FAILED: y is 0.5 * 1 + 2"; exit 1; } ;;
esac
