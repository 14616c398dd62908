#!/usr/bin/env bash
# Usage: reproduction.sh ROOT KILN: the tables of docs/reproduction.md are those that tools/reproduction.py makes from docs/data;
# another figure there changes them, results of a run are added, and other files are refused. docs/study.md quotes its study.
set -euo pipefail
root=$(realpath "${1:?usage: reproduction.sh ROOT KILN}")
kiln=$(realpath "${2:?usage: reproduction.sh ROOT KILN}")
command -v python3 > /dev/null || { echo "skipped: python3 is not installed (package python3)"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "$*"; exit 1; }
tool() { python3 "$root/tools/reproduction.py" --kiln "$kiln" "$@"; }

tool --check || fail "docs/reproduction.md: not what docs/data gives; run tools/reproduction.py"
size=$(du -sk --apparent-size "$root/docs/data" | cut -f 1)  # not in blocks of a file system
[ "$size" -le 6656 ] || fail "docs/data: $size KiB, expected 6656 at most"

# What docs/study.md quotes stands in the report of the study, word for word, and the report takes all records and the ceilings.
"$kiln" report "$root/docs/data/study_minibude_constants_h200.jsonl" > "$folder/study.txt"
# shellcheck disable=SC2016 # the marks of a block
sed -n '/^## On an H200/,/^## Amort/p' "$root/docs/study.md" | sed -n '/^```text/,/^```$/p' | grep -v '^```' > "$folder/quoted.txt"
[ "$(wc -l < "$folder/quoted.txt")" -ge 15 ] || fail "docs/study.md: no block of results"
while IFS= read -r line; do
  grep -qxF -- "$line" "$folder/study.txt" || fail "docs/study.md: not in the study's report: $line"
done < "$folder/quoted.txt"
"$kiln" report "$root"/docs/data/h200/*.jsonl --ceilings "$root/docs/data/ceilings_h200.json" --format html -o "$folder/page.html"

mkdir -p "$folder/docs"
cp -r "$root/docs/data" "$root/docs/reproduction.md" "$folder/docs/"
here() { tool --root "$folder" "$@"; }
here --check || fail "a copy is not the same"

# changed STATEMENT: runs Python over `record`, the first one of the table with the bandwidths; the document is then not up to date.
stream=$(find "$folder/docs/data" -name 'mojo_fig4_table3_babelstream.jsonl' | sort | head -n 1)
[ -n "$stream" ] || fail "no records of BabelStream in docs/data"
cp "$stream" "$folder/before.jsonl"
changed() {
  python3 - "$stream" "$1" << 'PYTHON'
import json, sys
path, statement = sys.argv[1:]
lines = open(path).read().splitlines()
record = json.loads(lines[0])
exec(statement)
open(path, "w").write("\n".join([json.dumps(record), *lines[1:]]) + "\n")
PYTHON
}
# differs WORDS: the document as it stands is not up to date, and WORDS stand in what would be new.
differs() {
  local code=0
  here --check > "$folder/difference.txt" || code=$?
  [ $code = 1 ] || fail "expected a difference, exit code $code"
  grep -q -- "^+.*$1" "$folder/difference.txt" || fail "no '$1' in: $(cat "$folder/difference.txt")"
}
changed 'record["metrics"]["triad"]["value"] = 12345.6'
differs "12346 ±"
cp "$folder/before.jsonl" "$stream"
changed 'record["status"] = "wrong"'
differs "not measured yet"

# Results of a run, as another device: a folder, and the pack of one.
cp "$folder/before.jsonl" "$stream"
mkdir -p "$folder/run/mojo_fig4_table3_babelstream"
sed 's/"backend":"cpu"/"backend":"cuda"/; s/"name":"[^"]*\(","backend"\)/"name":"Made GPU\1/' "$stream" \
  > "$folder/run/mojo_fig4_table3_babelstream/records.jsonl"
tar -czf "$folder/run.tar.gz" -C "$folder/run" .
for source in run run.tar.gz; do
  cp "$root/docs/reproduction.md" "$folder/docs/"
  rm -rf "$folder/docs/data/made"
  here --add "$folder/$source" --name made
  grep -q '^| GB/s .*| Made GPU: tuned |' "$folder/docs/reproduction.md" || fail "$source: no column for the device"
  here --check || fail "$source: not the same when made again"
done
here --add "$folder/run" --name made
cmp -s "$folder/run/mojo_fig4_table3_babelstream/records.jsonl" "$folder/docs/data/made/mojo_fig4_table3_babelstream.jsonl" ||
  fail "the records were not kept as they are"

# refuse TEXT WORDS...: exits with 2 and says TEXT; nothing is written.
refuse() {
  local text=$1 code=0
  shift
  cp "$folder/docs/reproduction.md" "$folder/as_it_was.md"
  here "$@" > /dev/null 2> "$folder/error.txt" || code=$?
  [ $code = 2 ] || fail "exit code $code: $*"
  grep -qF -- "$text" "$folder/error.txt" || fail "no '$text' in: $(cat "$folder/error.txt")"
  cmp -s "$folder/docs/reproduction.md" "$folder/as_it_was.md" || fail "the document was written: $*"
}
mkdir -p "$folder/empty" "$folder/foreign/entry"
echo '{"benchmark": "another"}' > "$folder/foreign/entry/records.jsonl"
refuse "found none" --add "$folder/empty" --name other
refuse "records.jsonl:1: expected a record of kiln run" --add "$folder/foreign" --name other
refuse "no such file or folder" --add "$folder/absent" --name other
refuse "--add and --name go together" --add "$folder/run"
cat "$folder/before.jsonl" >> "$stream"
refuse "records of mojo_fig4_table3_babelstream have" --check
cp "$folder/before.jsonl" "$stream"
sed -i 's/<!-- table mojo_fig4 -->/<!-- table mojo_fig9 -->/' "$folder/docs/reproduction.md"
refuse "<!-- table mojo_fig9 -->" --check
echo "tables are up to date"
