#!/usr/bin/env bash
# Usage: exchange.sh ROOT KILN: Kernel Tuner replays a search from what `kiln wisdom export` writes, its schema of T4 holds for the export, and
# `kiln wisdom import` takes what Kernel Tuner writes. Needs the Python package kernel_tuner.
set -euo pipefail
root=$(realpath "${1:?usage: exchange.sh ROOT KILN}")
kiln=$(realpath "${2:?usage: exchange.sh ROOT KILN}")
python3 -c "import kernel_tuner" 2> /dev/null ||
  { echo "skipped: python3 has no package kernel_tuner (pip install kernel_tuner)"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export KILN_CACHE_DIR=$folder/cache KILN_WORKLOAD_PATH=$root/kernels_src

for point in "block: 64, loads: plain, pack: 1|3 ms" "block: 64, loads: streaming, pack: 2|1 ms" "block: 256, loads: plain, pack: 2|2 ms"; do
  cat << POINT
- key: {workload: babelstream, device: {name: "NVIDIA A100", backend: cuda, arch: sm_80}, types: {T: double, Sum: double}, size: {n: 1000}}
  values: {${point%|*}}
  result: {time: ${point#*|}}
  made: {date: 2026-11-20}
POINT
done > a.wisdom.yaml
"$kiln" wisdom export a.wisdom.yaml --format kernel-tuner --map block=block_size_x -o cache.json
"$kiln" wisdom export a.wisdom.yaml --format t4 -o t4.json
cp "$root/docs/data/tune_h200_minibude.json" recorded.json
python3 - << 'END_OF_PYTHON'
import importlib.resources, json, jsonschema, kernel_tuner
from kernel_tuner.file_utils import store_output_file

cache = json.load(open("cache.json"))
known = set(cache["cache"])
results, _ = kernel_tuner.tune_kernel(
    cache["kernel_name"], "__global__ void copy() {}", cache["problem_size"], [], cache["tune_params"], lang="CUDA", quiet=True,
    restrictions=lambda p: ",".join(str(p[name]) for name in cache["tune_params_keys"]) in known, cache="cache.json", simulation_mode=True)
assert len(results) == 3, results
best = min(results, key=lambda one: one["time"])
assert (best["time"], best["block_size_x"], best["loads"], best["pack"]) == (1.0, 64, "streaming", 2), best
schema = importlib.resources.files("kernel_tuner") / "schema/T4/1.0.0/results-schema.json"
jsonschema.validate(json.load(open("t4.json")), json.loads(schema.read_text()))
store_output_file("theirs.json", results, cache["tune_params"])

# A space of docs/data: each point is found, and the best is that of `kiln tune compare`.
cache = json.load(open("recorded.json"))
known = set(cache["cache"])
results, _ = kernel_tuner.tune_kernel(
    cache["kernel_name"], "__global__ void fasten() {}", 1, [], cache["tune_params"], lang="CUDA", quiet=True,
    restrictions=lambda p: ",".join(str(p[name]) for name in cache["tune_params_keys"]) in known, cache="recorded.json", simulation_mode=True)
times = [point["time"] for point in cache["cache"].values() if isinstance(point["time"], float)]
assert len(results) == len(known), (len(results), len(known))
assert min(one["time"] for one in results if isinstance(one["time"], float)) == min(times)
END_OF_PYTHON

echo '{workload: babelstream, device: cpu, set: {n: 1000}}' > job.yaml
"$kiln" wisdom import job.yaml theirs.json --map block_size_x=block -o theirs.wisdom.yaml | tee said.txt
grep -q "3 measured points, 3 taken" said.txt
head -n 3 theirs.wisdom.yaml | grep -q "values: {block: 64, loads: streaming, pack: 2}"
echo "two searches replayed, one schema, one import"
