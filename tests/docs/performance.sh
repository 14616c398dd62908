#!/usr/bin/env bash
# Usage: performance.sh ROOT: docs/performance.md, its charts and what other documents quote from it agree with the figures in
# docs/data/performance, and tools/performance.py finds each kind of disagreement.
set -euo pipefail
root=$(realpath "${1:?usage: performance.sh ROOT}")
command -v python3 > /dev/null || { echo "skipped: python3 is not installed (package python3)"; exit 77; }
fail() { echo "FAILED: $*"; exit 1; }
python3 "$root/tools/performance.py" --check || fail "tools/performance.py --charts makes page and charts anew"
for chart in "$root"/docs/images/performance_*.svg; do
  [ "$(stat -c %s "$chart")" -lt 61440 ] || fail "$chart: more than 60 KB"
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fresh() {
  rm -rf "$folder/docs"
  mkdir -p "$folder/docs/data"
  cp -r "$root/docs/data/performance" "$folder/docs/data/"
  cp -r "$root"/docs/*.md "$root/docs/images" "$folder/docs/"
  cp "$root/README.md" "$folder/"
}
# expect CODE TEXT WORDS...: the tool ends with CODE and says TEXT.
expect() {
  local expected=$1 text=$2 code=0
  shift 2
  "${python:-python3}" "$root/tools/performance.py" --root "$folder" "$@" > "$folder/said.txt" 2>&1 || code=$?
  [ $code = "$expected" ] || fail "exit code $code, expected $expected: $(cat "$folder/said.txt")"
  grep -qF -- "$text" "$folder/said.txt" || fail "no '$text' in: $(cat "$folder/said.txt")"
}
fresh
expect 0 "page and charts agree" --check
sed -i 's/^triad.ratio,\(.*\),0.99,/triad.ratio,\1,1.49,/' "$folder/docs/data/performance/cpu_epyc.csv"
expect 1 "no label 'triad: 1.49'" --check
expect 1 "the mark of 'triad: 1.49'" --check
grep -qF "+| triad | 20.935 | 20.529 | 1.49 (" "$folder/said.txt" || fail "the page's row is not refused"
fresh
sed -i 's/ to 9.44<!-- performance/ to 9.45<!-- performance/' "$folder/README.md"
expect 1 "README.md:" --check
fresh
printf '\nA launch costs 7 ns ([performance.md](performance.md)).\n' >> "$folder/docs/batch.md"
expect 1 "docs/batch.md:" --check
fresh
rm "$folder/docs/images/performance_cpu.svg"
expect 1 "no such file" --check
fresh
sed -i 's/{{cpu_epyc:copy.kiln}}/{{cpu_epyc:copi.kiln}}/' "$folder/docs/data/performance/page.md.in"
expect 2 "'cpu_epyc:copi.kiln': cpu_epyc.csv has no such key; expected one like copy.kiln" --check
fresh
sed -i 's/^copy.kiln,.*/copy.kiln,copy,ms,,fast,,/' "$folder/docs/data/performance/cpu_epyc.csv"
expect 2 "cpu_epyc.csv: row 1" --check

# Drawn again, where matplotlib is here (the python3 of PATH, or Debian's where another one hides it).
python=python3
"$python" -c "import matplotlib" 2> /dev/null || python=/usr/bin/python3
if "$python" -c "import matplotlib" 2> /dev/null; then
  export MPLCONFIGDIR=$folder/matplotlib
  fresh
  rm -r "$folder/docs/images"
  expect 0 "page and charts agree" --charts
else
  echo "charts are not drawn again: matplotlib is not installed (package python3-matplotlib)"
fi
echo "figures, page, charts and claims agree"
