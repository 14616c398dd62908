#!/usr/bin/env bash
# Usage: plot.sh ROOT KILN: tools/plot.py draws each of its plots from results of a small run, and refuses other files. Needs
# Python with matplotlib and pandas.
set -euo pipefail
root=$(realpath "${1:?usage: plot.sh ROOT KILN}")
kiln=$(realpath "${2:?usage: plot.sh ROOT KILN}")
command -v python3 > /dev/null || { echo "skipped: python3 is not installed (package python3)"; exit 77; }
# Without the packages a sentence, no traceback: -S leaves out the folders that they are in.
code=0
said=$(python3 -S -E "$root/tools/plot.py" bars results -o x.svg 2>&1) || code=$?
if [ "$code" != 2 ] || [[ $said != *"python3-matplotlib and python3-pandas" ]] || [[ $said == *Traceback* ]]; then
  echo "exit code $code without matplotlib: $said"
  exit 1
fi
# The python3 of PATH, or Debian's where another one hides it.
python=python3
for module in matplotlib pandas; do
  "$python" -c "import $module" 2> /dev/null || python=/usr/bin/python3
  "$python" -c "import $module" 2> /dev/null ||
    { echo "skipped: the Python package $module is not installed (package python3-$module)"; exit 77; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export KILN_CACHE_DIR=$folder/cache KILN_WORKLOAD_PATH=$root/kernels_src MPLCONFIGDIR=$folder/matplotlib
fail() { echo "$*"; exit 1; }

cat > job.yaml << 'END'
workload: stencil7
device: cpu
set: {nx: 24, ny: 20, nz: 16}
sweep: {block_x: [4, 8], block_y: [1, 2]}
measure: {min_time: 1 ms, max_time: 20 ms, min_samples: 6}
END
"$kiln" run job.yaml --output results --quiet --trace trace.json > /dev/null
cat > study.yaml << 'END'
workload: minibude
device: cpu
set: {nposes: 64, natpro: 32, ppwi: 2}
constants: [natlig]
fast_math: [false, true]
measure: {rounds: 6, samples: 1, compiles: 1}
output: study
END
"$kiln" study study.yaml --quiet > /dev/null
"$kiln" roofline --device cpu --set n=5000 items=130 rounds=64 chains=4 stores=plain --quiet -o ceilings.json

# marks FILE: how many elements of an SVG are drawn by reference (points, ticks) or as paths.
marks() { python3 -c 'import sys, xml.etree.ElementTree as t
print(sum(e.tag.endswith(("}path", "}use", "}image")) for e in t.parse(sys.argv[1]).iter()))' "$1"; }
draw() { "$python" "$root/tools/plot.py" "$@"; }
draw bars results -o bars.svg
draw heat results --x block_x --y block_y -o heat.svg
draw roofline results/records.jsonl --ceilings ceilings.json -o roofline.svg
draw heat results --x block_x --y block_y --metric time -o heat.png
draw cases study -o cases.svg
draw effects study/study.jsonl -o effects.svg
draw amortisation study -o amortisation.svg
python3 -c '
import json
keys = ["x", "y"]
cache = {f"{x},{y}": {"x": x, "y": y, "time": 1 + (x - 5) ** 2 + y} for x in range(9) for y in range(4)}
print(json.dumps({"tune_params_keys": keys, "tune_params": {"x": list(range(9)), "y": list(range(4))}, "cache": cache}))' > space.json
cp space.json other.json
"$kiln" tune compare space.json other.json --searchers genetic,random --seeds 2 --evaluations 30 --curves curves.csv > /dev/null
draw searches curves.csv -o searches.svg
sed '/^sweep/d' job.yaml > tuned.yaml
"$kiln" tune tuned.yaml --space block_x=4,8 block_y=1,2 --no-wisdom --output searched --quiet > /dev/null
draw parallel searched -o parallel.svg
# Where the default is the best, each point of the search may have been given up.
mkdir given_up
sed '/"values":\["/s/"kind":"value"/"kind":"cut"/' searched/tune.jsonl > given_up/tune.jsonl
draw parallel given_up -o given_up.svg
# What a crash cut off is left out, as by kiln.
mkdir torn
{ head -c 300 results/records.jsonl; cat results/records.jsonl; head -c 200 results/records.jsonl; } > torn/records.jsonl
draw bars torn -o torn.svg 2> error.txt
[ "$(grep -c 'records.jsonl:[0-9]*: a crash cut this line off' error.txt)" = 2 ] || fail "no two warnings: $(cat error.txt)"
[ "$(marks torn.svg)" = "$(marks bars.svg)" ] || fail "torn.svg is not as bars.svg"
# A field as a picture, and how it changes as an animation.
cat > fields.yaml << 'END'
workload: cloverleaf
device: cpu
measure: false
set: {nx: 24, ny: 16, bind.all: run}
sweep: {end_step: [1, 4, 7]}
keep: {density: "density-{end_step}.npy"}
END
"$kiln" run fields.yaml --quiet > /dev/null
draw timeline trace.json -o timeline.svg
grep -q "laplacian" timeline.svg || fail "timeline.svg does not name the kernel"
draw field density-7.npy -o density.png
draw field density-1.npy density-4.npy density-7.npy --label density --min 0.1 -o density.gif
[ "$(head -c 8 density.png | od -An -c | tr -d ' ')" = '211PNG\r\n032\n' ] || fail "density.png is no PNG"
frames=$("$python" -c 'import PIL.Image; print(PIL.Image.open("density.gif").n_frames)')
[ "$frames" = 3 ] || fail "density.gif has $frames pictures, not 3"
for file in bars heat roofline cases effects amortisation parallel given_up; do
  [ "$(marks $file.svg)" -ge 10 ] || fail "$file.svg: no marks"
done
[ "$(head -c 8 heat.png | od -An -c | tr -d ' ')" = '211PNG\r\n032\n' ] || fail "heat.png is no PNG"

# refuse TEXT WORDS...: exits with 2 and says TEXT.
refuse() {
  local text=$1 code=0
  shift
  "$python" "$root/tools/plot.py" "$@" 2> error.txt || code=$?
  [ "$code" = 2 ] || fail "exit code $code: $*"
  grep -qF -- "$text" error.txt || fail "no '$text' in: $(cat error.txt)"
}
echo '{"benchmark": "another"}' > foreign.jsonl
head -c 300 results/records.jsonl > cut.jsonl
refuse "foreign.jsonl:1: expected a record" bars foreign.jsonl -o x.svg
refuse "cut.jsonl:1:" bars cut.jsonl -o x.svg
refuse "absent" bars absent -o x.svg
refuse "--x: no record has 'blockx'" heat results --x blockx --y block_y -o x.svg
refuse "expected what kiln tune compare --curves writes" searches other.json -o x.svg
refuse "expected what kiln roofline writes" roofline results --ceilings results/records.jsonl -o x.svg
refuse "results: expected a file tune.jsonl in this folder" parallel results -o x.svg
refuse "one search is drawn at a time" parallel searched searched -o x.svg
head -n 1 searched/tune.jsonl > begun.jsonl
refuse "begun.jsonl: no point of the space was measured" parallel begun.jsonl -o x.svg
refuse "results: expected a file study.jsonl in this folder" effects results -o x.svg
refuse "records.jsonl:1: expected a line of a study's file" cases results/records.jsonl -o x.svg
head -n 1 study/study.jsonl > unfinished.jsonl
refuse "no device of this study is finished" amortisation unfinished.jsonl -o x.svg
refuse "--device: no study is of 'H200'; expected one of" cases study --device H200 -o x.svg
refuse ".svg or .png" bars results -o x.gif
refuse "expected a trace that kiln run --trace wrote" timeline results/records.jsonl -o x.svg
echo '{"traceEvents": []}' > empty.json
refuse "empty.json: no sample of one step" timeline empty.json -o x.svg
echo '[{"ph": "X", "cat": "sample", "args": {"steps": 1}}]' > untimed.json
refuse "untimed.json: expected a trace" timeline untimed.json -o x.svg
refuse "absent.npy" field absent.npy -o x.png
refuse "curves.csv: expected an array of NumPy" field curves.csv -o x.png
refuse "expected .gif for an animation" field density-1.npy density-4.npy -o x.png
refuse "expected .gif for an animation" field density-1.npy -o x.gif
refuse "is above --max" field density-1.npy --min 3 --max 2 -o x.png
refuse "--rate: expected a number above 0" field density-1.npy density-4.npy --rate 0 -o x.gif
"$python" -c 'import numpy; numpy.save("cube.npy", numpy.zeros((2, 2, 2))); numpy.save("small.npy", numpy.zeros((2, 2)))
numpy.save("nan.npy", numpy.full((2, 2), numpy.nan))'
refuse "expected an array of numbers with two extents; found float64 (2, 2, 2)" field cube.npy -o x.png
refuse "expected the shape (16, 24) of density-1.npy; found (2, 2)" field density-1.npy small.npy -o x.gif
refuse "no number is finite" field nan.npy -o x.png
echo "fourteen pictures, 25 refusals"
