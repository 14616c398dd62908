#!/usr/bin/env bash
# Measures a sweep and a search on 1, 2, 4, ... GPUs of one machine; see --help.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
# shellcheck source=tools/common.sh
. tools/common.sh

help() {
  cat << 'END'
usage: tools/scaling.sh [--kiln PROGRAM] [--gpus "1 2 4 8"] [--variants 200|400] [--budget N] [--out DIR] [--limit SECONDS]

Runs a sweep of miniBUDE and a search of stencil7 on each number of GPUs: by one `kiln` that spreads variants over the GPUs,
and by one rank of `mpirun` for each GPU. Each run begins with an empty cache folder. Then prints a table (Markdown) and
checks that all sweeps have the same records but for times, and that each key was compiled once in a run. Exit code 1: a run
failed, or these differ.

  --kiln PROGRAM   default: build/release/bin/kiln
  --gpus LIST      numbers of GPUs; default: 1, 2, 4, 8 as far as the machine has them
  --variants N     of the sweep; default 400
  --budget N       evaluations of the search; default 200
  --out DIR        records, journals and summary.json; default results/scaling
  --limit SECONDS  of one run; default 300
END
}

kiln=build/release/bin/kiln gpus='' variants=400 budget=200 out=results/scaling limit=300
while [ $# -gt 0 ]; do
  case $1 in
    --help) help; exit 0 ;;
    --kiln | --gpus | --variants | --budget | --out | --limit)
      [ $# -ge 2 ] || usage_error "$1 needs a value"
      declare "${1#--}=$2"; shift 2 ;;
    *) usage_error "unknown argument '$1'" ;;
  esac
done
case $variants in
  200) bounds='[true]' ;;
  400) bounds='[true, false]' ;;
  *) usage_error "--variants: expected 200 or 400, found '$variants'" ;;
esac
[ -x "$kiln" ] || environment_error "no $kiln: build Kiln first, or name it with --kiln"
there=$("$kiln" devices | grep -c '^ *cuda:[0-9]')
[ "$there" -gt 0 ] || environment_error "there is no NVIDIA GPU: \`$kiln devices\` says why"
if [ -z "$gpus" ]; then
  for n in 1 2 4 8; do [ "$n" -gt "$there" ] || gpus+="$n "; done
fi
mkdir -p "$out"
cat > "$out/sweep.yaml" << END
workload: minibude
set: {nposes: 65536, method: parts}
sweep: {ppwi: [1, 2, 4, 8], wg: [32, 64, 128, 256, 512], split: [1, 2, 4, 8, 16], bind.natpro: [compile, run], launch_bounds: $bounds}
measure: {min_time: 0.1 s, max_time: 1 s, min_samples: 5, max_samples: 100}
isolation: process
END
launcher=()
if command -v mpirun > /dev/null; then
  launcher=(mpirun --allow-run-as-root --oversubscribe --bind-to none)
  mpirun --version | grep -q 'Open MPI' || launcher=(mpirun)
fi

failures=0
# timed NAME COMMAND...: runs it, its output in NAME.log, and keeps the seconds in NAME.seconds.
timed() {
  local name=$1 start end
  shift
  start=$(date +%s.%N)
  if timeout "$limit" "$@" > "$out/$name.log" 2>&1; then
    end=$(date +%s.%N)
    awk "BEGIN { print $end - $start }" > "$out/$name.seconds"
    echo "$name: $(cat "$out/$name.seconds") s"
  else
    echo "$name: failed (exit code $?); see $out/$name.log"
    failures=1
  fi
}

for n in $gpus; do
  devices=$(seq -s , -f 'cuda:%g' 0 $((n - 1)))
  for way in process ranks; do
    front=()
    if [ "$way" = ranks ]; then
      [ "${#launcher[@]}" -gt 0 ] || { echo "no mpirun: the ranks are left out"; continue; }
      [ "$n" -gt 1 ] || continue  # one rank is the run by one process
      front=("${launcher[@]}" -n "$n")
    fi
    rm -rf "${out:?}/sweep.$way.$n" "${out:?}/tune.$way.$n"
    spread=()
    if [ "$way" = process ]; then spread=(--spread); fi
    timed "sweep.$way.$n" "${front[@]}" "$kiln" run "$out/sweep.yaml" --device "$devices" "${spread[@]}" \
      --cache-dir "$out/sweep.$way.$n/cache" --output "$out/sweep.$way.$n" --format csv
    timed "tune.$way.$n" "${front[@]}" "$kiln" tune configs/tuning/stencil7_space.yaml --device "$devices" --budget "$budget" \
      --no-wisdom --cache-dir "$out/tune.$way.$n/cache" --output "$out/tune.$way.$n"
    rm -rf "${out:?}/sweep.$way.$n/cache" "${out:?}/tune.$way.$n/cache"
  done
done
tools/scaling/gpus.py "$out" || failures=1
exit "$failures"
