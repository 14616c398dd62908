#!/usr/bin/env bash
# Usage: reproduce.sh ROOT KILN: every job of configs/paper is valid as it stands, has an entry in tools/reproduce.sh, and runs on
# the CPU at a size that takes moments, every check passed. A job that fails does not stop the others.
set -euo pipefail
root=$(realpath "${1:?usage: reproduce.sh ROOT KILN}")
kiln=$(realpath "${2:?usage: reproduce.sh ROOT KILN}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export KILN_CACHE_DIR=$folder/cache KILN_WORKLOAD_PATH=$root/kernels_src
fail() { echo "$*"; exit 1; }
reproduce() { "$root/tools/reproduce.sh" --kiln "$kiln" "$@"; }

"$kiln" validate "$root"/configs/paper/*.yaml > "$folder/validate.txt" 2>&1 || fail "$(cat "$folder/validate.txt")"
reproduce --list > "$folder/list.txt"
for job in "$root"/configs/paper/*.yaml; do
  grep -q "configs/paper/$(basename "$job")" "$folder/list.txt" || fail "no entry for $job"
  grep -q "$(basename "$job")" "$root/configs/paper/README.md" || fail "$job is not in configs/paper/README.md"
done

reproduce --device cpu --size test --out "$folder/out" --pack "$folder/all.tar.gz" > "$folder/log.txt" ||
  fail "$(cat "$folder/log.txt" "$folder"/out/*/log.txt)"
grep -q '^| implementation=tuned | ok ' "$folder/out/summary.txt" || fail "no results in summary.txt"
tar -tzf "$folder/all.tar.gz" > "$folder/packed.txt"
while read -r entry _; do
  [ -s "$folder/out/$entry/records.jsonl" ] || fail "$entry left no records"
  ! grep -qv '"status":"ok"' "$folder/out/$entry/records.jsonl" || fail "$entry: not all ok"
  grep -qx "./$entry/records.jsonl" "$folder/packed.txt" || fail "$entry is not in the pack"
done < "$folder/list.txt"
grep -q '^no job failed' "$folder/out/summary.txt" || fail "no last line in summary.txt"

# A job that cannot run is named, the next one still runs, and the exit code says that one failed.
cat > "$folder/kiln" << KILN
#!/usr/bin/env bash
case "\$*" in *double_512.yaml*) echo "expected failure" >&2; exit 1 ;; *) exec "$kiln" "\$@" ;; esac
KILN
chmod +x "$folder/kiln"
code=0
"$root/tools/reproduce.sh" --kiln "$folder/kiln" --device cpu --size test --only 'stencil7_*_512' \
  --out "$folder/some" > "$folder/some.txt" 2>&1 || code=$?
[ $code = 1 ] || fail "a job that fails: exit code $code"
grep -q '^stencil7_double_512 .*FAILED.*expected failure' "$folder/some.txt" || fail "$(cat "$folder/some.txt")"
grep -q '^stencil7_float_512 .* ok ' "$folder/some.txt" || fail "$(cat "$folder/some.txt")"
grep -q '^failed: stencil7_double_512;' "$folder/some.txt" || fail "$(cat "$folder/some.txt")"

# What does not fit the limit is named, not begun.
reproduce --device cpu --size test --only 'stencil7_double_512' --limit 1 --out "$folder/none" > "$folder/none.txt"
grep -q '^left out for want of time: stencil7_double_512' "$folder/none.txt" || fail "$(cat "$folder/none.txt")"
[ ! -e "$folder/none/stencil7_double_512" ] || fail "it was begun"

code=0
"$root/tools/reproduce.sh" --kiln "$folder/absent" > /dev/null 2>&1 || code=$?
[ $code = 3 ] || fail "a program that is not there: exit code $code"
for words in "--only nothing_*" "--size big" "--limit soon" "--device" "--what"; do
  code=0
  # shellcheck disable=SC2086 # words
  reproduce $words > /dev/null 2>&1 || code=$?
  [ $code = 2 ] || fail "$words: exit code $code"
done
echo "$(wc -l < "$folder/list.txt") entries"
