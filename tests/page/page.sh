#!/usr/bin/env bash
# Usage: page.sh ROOT KILN FOLDER: runs a small job, a roofline and a study, makes the page of them and opens it in a headless
# Chromium (open_page.py); the screenshots stay in FOLDER. Pages with faults must be found.
set -euo pipefail
root=$(realpath "${1:?usage: page.sh ROOT KILN FOLDER}")
kiln=$(realpath "${2:?usage: page.sh ROOT KILN FOLDER}")
screenshots=${3:?usage: page.sh ROOT KILN FOLDER}
command -v python3 > /dev/null || { echo "skipped: python3 is not installed (package python3)"; exit 77; }
mkdir -p "$screenshots"
screenshots=$(realpath "$screenshots")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export KILN_CACHE_DIR=$folder/cache KILN_WORKLOAD_PATH=$root/kernels_src
fail() { echo "$*"; exit 1; }
open_page() { python3 "$root/tests/page/open_page.py" "$@"; }

# Without a browser nothing is measured first.
echo '<p>none</p>' > empty.html
code=0
open_page empty.html "$folder" > answer.txt 2>&1 || code=$?
[ "$code" != 77 ] || { cat answer.txt; exit 77; }

cat > job.yaml << 'END'
workload: minibude
device: cpu
set: {nposes: 64, natpro: 32}
sweep: {ppwi: [1, 2], wg: [1, 2]}
measure: {min_time: 1 ms, max_time: 10 ms, min_samples: 6}
END
cat > study.yaml << 'END'
workload: minibude
device: cpu
set: {nposes: 64, natpro: 32, ppwi: 2}
constants: [natlig, natpro]
instantiate: {ppwi: [1, 2]}
fast_math: [false, true]
measure: {rounds: 6, samples: 1, compiles: 1}
output: study
END
"$kiln" run job.yaml --output results --trace run.json --quiet > /dev/null
# The same on another device, three times as slow, for plots that compare.
mkdir other
python3 - results/records.jsonl > other/records.jsonl << 'END'
import json
import sys
for line in open(sys.argv[1], encoding="utf-8"):
    record = json.loads(line)
    record["device"]["name"] = "Zeta device"
    step = record["step_seconds"]
    for key in ("median", "mean", "min", "max"):
        step[key] *= 3
    step["interval"] = [3 * value for value in step["interval"]]
    print(json.dumps(record, separators=(",", ":")))
END
"$kiln" roofline --device cpu --set n=5000 items=130 rounds=64 chains=4 stores=plain --quiet -o ceilings.json
"$kiln" study study.yaml --quiet > /dev/null
"$kiln" report results other study/study.jsonl --ceilings ceilings.json --timeline run.json --format html -o page.html
if grep -q "This page has no plots" page.html; then
  echo "skipped: kiln was built without Chart.js (package libjs-chart.js)"
  exit 77
fi

rm -f "$screenshots"/*.png
open_page page.html "$screenshots" use > answer.txt || fail "page.html: $(cat answer.txt)"
for picture in phone_light phone_dark desk_light desk_dark; do
  [ "$(head -c 8 "$screenshots/$picture.png" | od -An -c | tr -d ' ')" = '211PNG\r\n032\n' ] || fail "$picture.png is no PNG"
done
# Each kind of plot is there, in both themes and both widths.
for caption in "of each case, with its 95 % interval" "What each constant buys" "Amortisation: " "Amortisation, fast-math: " "Switches: " "Control, the same code twice" \
  "minibude on .*, Zeta device: median time of a step, with its 95 % interval" "on Zeta device: .*the deeper the colour, the better" \
  ": measured ceilings, and " "and the best so far (line)" "run.json: spans of the trace by kind"; do
  [ "$(grep -c -- "$caption" answer.txt)" -ge 4 ] || fail "no plot '$caption' in $(cat answer.txt)"
done

# damaged PATTERN TEXT [use]: the page with a fault, by a sed command, is refused with TEXT.
damaged() {
  sed -E "$1" page.html > damaged.html
  cmp -s page.html damaged.html && fail "sed changed nothing: $1"
  if open_page damaged.html "$folder" phone_dark ${3:+"$3"} > /dev/null 2> error.txt; then fail "let through: $1"; fi
  grep -qF -- "$2" error.txt || fail "no '$2' in: $(cat error.txt)"
}
damaged 's|</body>|<script>console.error("broken")</script></body>|' "console: broken"
damaged 's|</body>|<script>missing()</script></body>|' "exception: "
damaged 's|</body>|<img src="absent.png" alt=""></body>|' "Content Security Policy"
damaged 's|<meta http-equiv[^>]*>||; s|</body>|<img src="absent.png" alt=""></body>|' "fetched: "
damaged 's|data: lines.map|data: [].map|' "a plot without marks"
damaged 's|tabindex: "0", role|tabindex: "-1", role|' "cannot be reached by the Tab key"
damaged 's|row.hidden = !row|row.shown = !row|' "ppwi=2 does not halve the records" use
damaged 's|legend: \{|events: [], legend: {|; s|interaction: \{ mode: "nearest", intersect: false|events: [], &|g' "no value where the pointer is" use
damaged 's|</body>|<div style="width: 900px">wide</div></body>|' "wide in a window of 390"
damaged 's|--text: #e6e8ea|--text: #444444|' "too little contrast: "
damaged 's|and .prefers-color-scheme: dark. |and (prefers-color-scheme: sepia) |' "phone_dark: the background is [255, 255, 255]"
damaged 's|th.number \{ text-align: right; \}|th.number { }|' "do not stand right"
echo "one page in two themes and two widths, twelve faults found; screenshots in $screenshots"
