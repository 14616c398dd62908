#!/usr/bin/env bash
# Usage: gpu_measure.sh ROOT KILN: tools/gpu_measure.sh runs every step of a part, whatever the others do, stops a step at its limit,
# packs what there is and prints the ratios; what it asks of kiln is right.
set -euo pipefail
root=$(realpath "${1:?usage: gpu_measure.sh ROOT KILN}")
kiln=$(realpath "${2:?usage: gpu_measure.sh ROOT KILN}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "$*"; cat "$folder/said"; exit 1; }
# A kiln that asks the real one whether the variants of a job are right, and says that Kiln takes 2 us and the library 3. Products
# in other layouts fail, and the first transpose takes longer than its step may.
mkdir -p "$folder/build/bin"
cat > "$folder/build/bin/kiln" << END
#!/usr/bin/env bash
[ "\$1" = run ] || exit 0
echo "\$*" >> "$folder/asked"
output="" seconds=2e-6 operation=vectors
while [ \$# -gt 0 ]; do
  case \$1 in
    --output) output=\$2 ;;
    operation=library | implementation=library) seconds=3e-6 operation=library ;;
    trans_a=*) echo "error: no such layout"; exit 1 ;;
    *transpose.yaml) sleep 20 ;;
  esac
  shift
done
mkdir -p "\$output"
echo '{"workload": "gemm", "label": "gemm", "parameters": {"T": {"value": "float"}, "m": {"value": 128}, "operation": {"value": "'\$operation'"}},
"status": "ok", "step_seconds": {"median": '\$seconds'}, "metrics": {}, "message": null}' | tr -d '\n' > "\$output/records.jsonl"
END
chmod +x "$folder/build/bin/kiln"
measure() { "$root/tools/gpu_measure.sh" --build "$folder/build" --device cpu --out "$folder/out" "$@" > "$folder/said" 2>&1; }

# 3 s are enough for a step beside other tests.
code=0; measure --part library --step-limit 3 || code=$?
[ "$code" = 1 ] || fail "exit code $code"
[ "$(grep -c ' ok$' "$folder/said")" = 6 ] || fail "three steps of gemm, twice in the output"
[ "$(grep -c 'FAILED, code 1: error: no such layout' "$folder/said")" = 6 ] || fail "three steps fail"
[ "$(grep -c 'cut off after 3 s' "$folder/said")" = 6 ] || fail "three steps are cut off"
grep -q '| gemm | T=float m=128 | vectors | 2 to 2 | 3 | 1.500 | *| *|' "$folder/said" || fail "no ratio"
tar -tzf "$folder/out/measure_library.tar.gz" > "$folder/packed"
for file in gemm_kiln/records.jsonl gemm_library/records.jsonl gemm_layouts_kiln.log steps.txt ratios.md; do
  grep -qx "library/$file" "$folder/packed" || fail "not packed: $file"
done
python3 "$root/tools/ratios.py" "$folder/out/library" --goals "$root/tools/goals.csv" > "$folder/said"
grep -q '| ratio >= 1 | yes, 1.500 |' "$folder/said" || fail "the goal of gemm in float"

code=0; measure --part tiles --limit 0 || code=$?
[ "$code" = 1 ] || fail "exit code $code for no time"
[ "$(grep -c 'not run: no time left' "$folder/said")" -ge 16 ] || fail "steps were run without time"
measure --part library --steps '^gemm_(kiln|library)$' || fail "two steps"
[ "$(grep -c '^gemm.* ok$' "$folder/said")" = 4 ] || fail "two steps, twice in the output"
for wrong in '(' 'no_such_step'; do
  code=0; measure --part library --steps "$wrong" || code=$?
  { [ "$code" = 2 ] && grep -q -- '--steps: ' "$folder/said"; } || fail "exit code $code for --steps '$wrong'"
done
code=0; measure --part library --steps '^gemm_kiln$' --wheels "$folder/no_wheels" --limit 080 || code=$?
[ "$code" = 1 ] || fail "exit code $code without wheels"
grep -q '^wheels .* FAILED' "$folder/said" || fail "the wheels are not asked for"
grep -q '^gemm_kiln .* ok$' "$folder/said" || fail "the step beside the wheels"
code=0; measure --part nothing || code=$?
[ "$code" = 2 ] || fail "exit code $code for a part that is not there"
code=0; "$root/tools/ratios.py" "$folder/build" > "$folder/said" 2>&1 || code=$?
[ "$code" = 2 ] || fail "exit code $code for a folder without records"
mkdir "$folder/foreign"
for line in 'null' '{"workload": "gemm"}' $'\xff'; do
  printf '%s\n' "$line" > "$folder/foreign/records.jsonl"
  code=0; "$root/tools/ratios.py" "$folder/foreign" > "$folder/said" 2>&1 || code=$?
  { [ "$code" = 2 ] && grep -q "^ratios.py: error: $folder/foreign/records.jsonl" "$folder/said"; } || fail "exit code $code for '$line'"
done
code=0; "$root/tools/ratios.py" "$folder/foreign" --goals "$folder/none.csv" > "$folder/said" 2>&1 || code=$?
{ [ "$code" = 2 ] && grep -q "^ratios.py: error: $folder/none.csv" "$folder/said"; } || fail "exit code $code for goals that are not there"

# What the parts ask for on a CPU are variants of the shipped jobs.
sed -n 's/ --output .*//; s/ --device cpu//; s/^run //p' "$folder/asked" | sort -u > "$folder/jobs"
while read -r line; do
  read -r -a words <<< "${line/$folder\/out/$folder/out}"
  KILN_DEVICE=cpu "$kiln" run "${words[@]}" --device cpu --dry-run > "$folder/said" 2>&1 || fail "$line"
done < "$folder/jobs"
echo "$(wc -l < "$folder/jobs") jobs are right, and every step is told and packed"
