#!/usr/bin/env bash
# kill_batch.sh [--kills N] [--seed N] [--whole-tree | --ranks N] KILN: kills `kiln run BATCH` (SIGKILL) at random moments, goes on with
# --resume each time, and at last lets it end. Shows that nothing that was recorded is measured twice and that no variant is
# missing: of each kill at most the variants in flight are lost. What was in flight at two kills counts as its process's end and runs
# again in the last run alone (--retry-crashed). --whole-tree kills the batch's jobs with it, as a node that
# goes down does; without it, they find out that their batch is gone and end by themselves. --ranks runs each job over N MPI ranks (Open MPI's
# mpirun), kills one process at random, the batch, mpirun or a rank, and asks the rest to end. Exit code 1 if that is not so.
set -euo pipefail

kills=20 seed=1 tree=no ranks=0
while [ $# -gt 1 ]; do
  case $1 in
    --kills) kills=$2; shift ;;
    --seed) seed=$2; shift ;;
    --whole-tree) tree=yes ;;
    --ranks) ranks=$2; shift ;;
    *) echo "kill_batch.sh: unknown argument '$1'" >&2; exit 2 ;;
  esac
  shift
done
[ $# = 1 ] || { echo "usage: kill_batch.sh [--kills N] [--seed N] [--whole-tree | --ranks N] KILN" >&2; exit 2; }
kiln=$(realpath "$1")
RANDOM=$seed

folder=$(mktemp -d "${TMPDIR:-/tmp}/kiln_kill.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir add
cat > add/add.yaml <<'YAML'
workload: add
parameters:
  n: {type: int, default: 4096}
  k: {type: int, default: 1, bind: compile}
buffers:
  x: {type: float, shape: [n], init: {iota: [0, 1]}}
  y: {type: float, shape: [n]}
  z: {type: float, shape: [n]}
kernels:
  add: {source: add.cu, block: [64], grid: ["ceil_div(n, 64)"], args: [y, x, params]}
  add_reference: {source: add.cu, block: [32], grid: ["ceil_div(n, 32)"], args: [z, x, params]}
run: [add]
verify: {checks: [{buffer: y, reference: {kernel: add_reference, buffer: z}}]}
YAML
cat > add/add.cu <<'CU'
#include "kiln/params.h"
extern "C" __global__ void add(float* y, const float* x, const Params p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.n) y[i] = x[i] + Params::k;
}
extern "C" __global__ void add_reference(float* y, const float* x, const Params p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.n) y[i] = x[i] + Params::k;
}
CU
# A pause before a kill has a second on the average, and all variants together are to take longer than all pauses.
seconds=$(awk "BEGIN { print 0.1 + 1.2 * $kills / 24 }")
for job in a b c; do
  printf 'workload: add\ndevice: cpu\nset: {n: %s}\nsweep: {k: [1, 2, 3, 4, 5, 6, 7, 8]}\nmeasure: {min_time: %s, max_time: %s, max_samples: 1000000}\n' \
    "$((4096 + $(printf '%d' "'$job")))" "$seconds" "$seconds" > "$job.yaml"
done
printf 'output: out\njobs:\n- a.yaml\n- {run: b.yaml, after: a}\n- c.yaml\n' > batch.yaml
[ "$ranks" = 0 ] || printf 'launcher: mpirun --allow-run-as-root --oversubscribe -n %s\n' "$ranks" >> batch.yaml
variants=24
options=(--cache-dir cache --workload-path "$folder")

# Processes of the batch and of the jobs that it has started, by their numbers.
children_of() {
  local child
  for child in $(ps -o pid= --ppid "$1" 2> /dev/null); do children_of "$child"; echo "$child"; done
}

"$kiln" run c.yaml --set n=4096 "${options[@]}" -q > /dev/null  # the compiler's files are in memory from here on
resume=()
done_before=no
for ((kill = 1; kill <= kills; ++kill)); do
  "$kiln" run batch.yaml "${options[@]}" "${resume[@]}" > out.txt 2>> err.txt &
  pid=$!
  resume=(--resume --keep-going)
  sleep "$((RANDOM % 2)).$(printf '%03d' $((RANDOM % 1000)))"
  if [ "$tree" = yes ]; then
    mapfile -t victims < <(children_of "$pid"; echo "$pid")
    kill -9 "${victims[@]}" 2> /dev/null || true
  elif [ "$ranks" != 0 ]; then
    mapfile -t victims < <(children_of "$pid"; echo "$pid")
    kill -9 "${victims[RANDOM % ${#victims[@]}]}" 2> /dev/null || true
    kill "$pid" 2> /dev/null || true
  else
    kill -9 "$pid" 2> /dev/null || true
  fi
  code=0
  wait "$pid" 2> /dev/null || code=$?
  [ "$code" = 0 ] && { done_before=$kill; break; }
done
"$kiln" run batch.yaml "${options[@]}" "${resume[@]}" --retry-crashed > out.txt 2>> err.txt || { code=$?; tail -n 20 out.txt err.txt; exit 1; }

python3 - "$variants" "$((kill <= kills ? kill - 1 : kills))" "$done_before" <<'PY'
import collections, json, pathlib, sys
variants, kills, done_before = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
ok, crashed, torn = collections.Counter(), collections.Counter(), 0
for path in sorted(pathlib.Path("out").glob("*/records.jsonl")):
    for line in path.read_text().splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            torn += 1
            continue
        key = path.parent.name + " " + record["label"]
        (ok if record["status"] == "ok" else crashed)[key] += 1
twice = [key for key, count in ok.items() if count > 1]
print(f"{kills} kills{'' if done_before == 'no' else f' (the batch ended before kill {done_before})'}: "
      f"{len(ok)} of {variants} variants recorded, {len(twice)} measured twice, {sum(crashed.values())} records of variants in flight, {torn} torn lines")
sys.exit(1 if twice or len(ok) != variants else 0)
PY
