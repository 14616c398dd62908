#!/usr/bin/env bash
# Measures what sharing a job out over MPI ranks costs, on a fake device: a kernel of the CPU back end that sleeps for a
# recorded time, so that more ranks than cores do not compete for them; see --help.
set -euo pipefail

help() {
  cat << 'END'
Usage: tools/scaling/ranks.sh KILN [OPTION]...

Runs one job with one rank and with several, and prints the time from the begin of the first variant to the end of the
last, by the records. KILN: the program.

  --ranks LIST      "4 64"; default 4
  --variants N      default 400
  --milliseconds N  that a variant takes, about; default 100. 0: what a message and a record cost
  --keys N          different kernels among the variants; default 4
END
}

case ${1:-} in --help | -h) help; exit 0 ;; "") help >&2; exit 2 ;; esac
kiln=$(realpath "$1"); shift
ranks=4 variants=400 milliseconds=100 keys=4
while [ $# -gt 1 ]; do
  case $1 in
    --ranks) ranks=$2 ;;
    --variants) variants=$2 ;;
    --milliseconds) milliseconds=$2 ;;
    --keys) keys=$2 ;;
    *) echo "unknown argument '$1'; see --help" >&2; exit 2 ;;
  esac
  shift 2
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/nap.cu" << 'END'
#include "kiln/params.h"
#include <time.h>
extern "C" __global__ void nap(float* y, const Params p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0 && p.microseconds > 0) {
    timespec left = {0, p.microseconds * 1000L};
    nanosleep(&left, nullptr);
  }
  if (i < 64) y[i] = p.key + 1;
}
END
cat > "$folder/nap.yaml" << 'END'
workload: nap
summary: a device whose steps take a recorded time
parameters:
  key:          {type: int, default: 0, min: 0, max: 1000000, bind: compile}
  number:       {type: int, default: 0, min: 0, max: 1000000, bind: run, help: tells variants apart}
  microseconds: {type: int, default: 20000, min: 0, max: 999999, bind: run}
buffers:
  y: {type: float, shape: [64]}
kernels:
  nap: {source: nap.cu, grid: [1], block: [64], args: [y, params]}
run: [nap]
verify:
  checks:
    - {buffer: y, expected: "key + 1", rtol: 0}
END
# A variant runs its step five times: for the check, once to warm up, and for three samples.
{
  echo "workload: ./nap"
  echo "set: {microseconds: $((milliseconds * 200))}"
  echo "sweep:"
  echo "  key: [$(seq -s ', ' 0 $((keys - 1)))]"
  echo "  number: [$(seq -s ', ' 0 $((variants / keys - 1)))]"
  echo "measure: {min_time: 0 s, min_samples: 3, max_samples: 3}"
} > "$folder/job.yaml"
mkdir "$folder/nap" && mv "$folder/nap.cu" "$folder/nap.yaml" "$folder/nap"

span() {  # seconds from the first variant's begin to the last one's, and the number of records
  python3 - "$1/records.jsonl" << 'END'
import datetime, json, sys
times = sorted(datetime.datetime.fromisoformat(json.loads(line)["time"].replace("Z", "+00:00")) for line in open(sys.argv[1]))
print(f"{(times[-1] - times[0]).total_seconds():.3f} {len(times)}")
END
}
launcher=(mpirun)
if mpirun --version | grep -q "Open MPI"; then launcher+=(--allow-run-as-root --oversubscribe); fi
run() {  # RANKS: runs the job into $folder/RANKS
  local command=("$kiln" run "$folder/job.yaml" --device cpu --cpu-threads 1 --isolation process --cache-dir "$folder/cache"
                 --output "$folder/$1" --quiet --format csv)
  if [ "$1" = 1 ]; then "${command[@]}" > /dev/null; else "${launcher[@]}" -n "$1" "${command[@]}" > /dev/null; fi
}

"$kiln" compile "$folder/job.yaml" --cache-dir "$folder/cache" --quiet > /dev/null
run 1
read -r serial count < <(span "$folder/1")
echo "1 rank: $serial s, $count records"
for number in $ranks; do
  run "$number"
  read -r seconds count < <(span "$folder/$number")
  python3 -c "
serial, seconds, ranks = $serial, $seconds, $number
print(f'{ranks} ranks: {seconds:.3f} s, $count records, efficiency {serial / ranks / seconds:.3f}, '
      f'a variant more every {seconds / $count * 1e3:.3f} ms')"
done
