#!/usr/bin/env bash
# Usage: walk_through.sh README KILN: does what the README's walk-through says, in an empty folder: writes each fenced
# block with a file's name behind its language, and runs each line of the sh blocks with the built kiln. Each must succeed.
set -euo pipefail
readme=$(realpath "${1:?}")
kiln=$(realpath "${2:?}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir bin
ln -s "$kiln" bin/kiln
export PATH=$folder/bin:$PATH KILN_CACHE_DIR=$folder/cache

awk '
  /^<!-- walk-through/ { inside = 1 }
  /^<!-- end of walk-through/ { inside = 0 }
  !inside { next }
  /^```/ && block { block = 0; close(file); next }
  /^```/ {
    block = 1
    file = NF > 1 ? $2 : "commands"
    folder_of_file = file
    if (sub(/\/[^\/]*$/, "", folder_of_file)) system("mkdir -p " folder_of_file)
    next
  }
  block && file == "commands" { print >> file; next }
  block { print > file }' "$readme"

[ -s commands ] || { echo "FAILED: no walk-through found in $readme"; exit 1; }
count=0
while IFS= read -r command; do
  echo "\$ $command"
  bash -c "$command" || { echo "FAILED with exit code $?: $command"; exit 1; }
  count=$((count + 1))
done < commands

[ "$(wc -l < results/records.jsonl)" = 4 ] || { echo "FAILED: expected four records"; exit 1; }
kiln run saxpy_job.yaml > out 2>&1
cat out
grep -q '0 compiled' out || { echo "FAILED: the second run compiled again"; exit 1; }
echo "$count commands did what the walk-through says"
