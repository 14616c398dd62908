#!/usr/bin/env bash
# Usage: walk_through.sh DOCUMENT KILN: does what a document's walk-through shows, in an empty folder with the folders of a
# checkout: writes each fenced block with a file's name behind its language, and runs each line of the sh blocks with the built
# kiln. Each must succeed, and what the lines before a comment <!-- expect: TEXT --> print must have TEXT.
set -euo pipefail
document=$(realpath "${1:?}")
kiln=$(realpath "${2:?}")
root=$(realpath "$(dirname "$0")/../..")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir bin home
ln -s "$kiln" bin/kiln
ln -s "$root/configs" "$root/kernels_src" "$root/tools" "$root/docs" .
export PATH=$folder/bin:$PATH KILN_CACHE_DIR=$folder/cache HOME=$folder/home
unset XDG_CONFIG_HOME XDG_CACHE_HOME

awk '
  /^<!-- walk-through/ { inside = 1 }
  /^<!-- end of walk-through/ { inside = 0 }
  !inside { next }
  /^```/ && block { block = 0; close(file); next }
  /^```/ {
    block = 1
    file = NF > 1 ? $2 : $1 == "```sh" ? "commands" : "/dev/null"
    folder_of_file = file
    if (sub(/\/[^\/]*$/, "", folder_of_file)) system("mkdir -p " folder_of_file)
    next
  }
  block && file == "commands" { print >> file; next }
  block { print > file; next }
  /^<!-- expect: .* -->$/ { print "#" $0 >> "commands" }' "$document"

fail() { echo "FAILED: $*"; exit 1; }
[ -s commands ] || fail "no walk-through found in $document"
count=0
: > said
while IFS= read -r command; do
  if [[ $command =~ ^#'<!-- expect: '(.*)' -->'$ ]]; then
    grep -qF -- "${BASH_REMATCH[1]}" said || fail "nothing printed '${BASH_REMATCH[1]}'"
    : > said
    continue
  fi
  echo "\$ $command"
  code=0
  bash -c "$command" < /dev/null > now 2>&1 || code=$?
  cat now
  cat now >> said
  [ $code = 0 ] || fail "exit code $code: $command"
  count=$((count + 1))
done < commands

if [ "$document" = "$root/README.md" ]; then
  [ "$(wc -l < results/records.jsonl)" = 4 ] || fail "expected four records"
  kiln run saxpy_job.yaml > now 2>&1
  cat now
  grep -q '0 compiled' now || fail "the second run compiled again"
fi
echo "$count commands did what the walk-through says"
