#!/usr/bin/env bash
# make_wisdom.sh [--kiln PROGRAM] [--budget BUDGET] [--output DIR] [--wisdom DIR] [--only EXPRESSION] --device DEVICE [WORKLOAD...]
# [-- OPTION...]: searches for the best points of the shipped workloads on a device, each size by itself, and merges them into
# kernels_src/NAME/NAME.wisdom.yaml, or into NAME.wisdom.yaml of the folder that --wisdom names. Each search has BUDGET (default 3min)
# and leaves its journal in DIR (default results/wisdom), from which it goes on if it is there. --only takes the sizes that match an
# extended regular expression, such as 'T=half batch=1 '. OPTION... are more options of `kiln tune`, such as `--searcher portfolio`.
set -euo pipefail
cd "$(dirname "$0")/.."
kiln=build/release/bin/kiln budget=3min output=results/wisdom wisdom="" only="" device="" workloads=()
usage() {
  echo "usage: make_wisdom.sh [--kiln PROGRAM] [--budget BUDGET] [--output DIR] [--wisdom DIR] [--only EXPRESSION] --device DEVICE [WORKLOAD...] [-- OPTION...]" >&2
  exit 2
}
while [ $# -gt 0 ]; do
  case "$1" in
    --kiln) kiln=${2:?--kiln needs a program}; shift ;;
    --budget) budget=${2:?--budget needs a budget}; shift ;;
    --output) output=${2:?--output needs a folder}; shift ;;
    --wisdom) wisdom=${2:?--wisdom needs a folder}; shift ;;
    --only) only=${2:?--only needs an expression}; shift ;;
    --device) device=${2:?--device needs a device}; shift ;;
    --) shift; break ;;
    stencil7 | minibude | babelstream | hartree_fock | transpose | spmv | batched_gemm | gemm | gemm_scaled | conv2d | layers) workloads+=("$1") ;;
    *) usage ;;
  esac
  shift
done
[ -n "$device" ] || usage
[ ${#workloads[@]} -gt 0 ] || workloads=(stencil7 minibude babelstream hartree_fock transpose spmv batched_gemm gemm gemm_scaled conv2d layers)

# layers TYPES BATCHES: the convolutions and the product of ResNet18, each with the operation that the network has there.
layers() {
  for type in $1; do
    for batch in $2; do
      for layer in '229 4 64 7 2 w=230 filter_w=8 padding=0' '56 64 64 3 1' '56 64 128 3 2' '56 64 128 1 2' '28 128 128 3 1' \
                   '28 128 256 3 2' '28 128 256 1 2' '14 256 256 3 1' '14 256 512 3 2' '14 256 512 1 2' '7 512 512 3 1' '1 512 1000 1 1'; do
        read -r h c filters filter stride others <<< "$layer"
        operation=wgmma
        if [ "$type" = float ]; then
          operation="split"
          [ "$batch" -lt 4 ] || [ "$c" = 4 ] || operation=wgmma_split
        elif [ "$c" = 4 ]; then
          operation=mma
        fi
        [ "$device" != cpu ] || operation=vectors
        echo "T=$type batch=$batch h=$h c=$c filters=$filters filter_h=$filter stride=$stride $others operation=$operation"
      done
    done
  done
}

# sizes WORKLOAD: a line of values for each search, `operation` as one that it keeps in the points; on a CPU those that it can check and measure many points of.
sizes() {
  case "$device:$1" in
    cpu:stencil7) for type in double float; do for n in 128 256; do echo "T=$type nx=$n"; done; done ;;
    cpu:minibude) echo nposes=2048 ;;
    cpu:babelstream) echo 'T=double n=16777216' ;;
    cpu:hartree_fock) printf 'natoms=%s reference_atoms=64\n' 32 64 ;;
    cpu:transpose) printf 'bytes=%s rows=4096\n' 4 8 ;;
    cpu:spmv) printf 'generator=%s\n' cube7 elasticity ;;
    cpu:batched_gemm) printf 'm=%s\n' 4 8 16 32 ;;
    cpu:gemm) printf 'T=%s m=1024\n' float double ;;
    cpu:gemm_scaled) echo m=512 ;;
    cpu:conv2d) printf 'h=%s c=%s filters=%s\n' 56 64 64 14 256 256 ;;
    cpu:layers) layers float 1 ;;
    *:gemm) for type in half float double; do for m in 1024 2048 4096 8192; do echo "T=$type m=$m"; done; done ;;
    *:gemm_scaled) printf 'm=%s\n' 1024 2048 4096 8192 ;;
    *:conv2d) for type in half float; do for layer in '56 64' '28 128' '14 256' '7 512'; do
                echo "T=$type h=${layer% *} c=${layer#* } filters=${layer#* }"; done; done ;;
    *:layers) layers 'half float' '1 8 64' ;;
    *:transpose) for bytes in 1 2 4 8 16; do echo "bytes=$bytes rows=16384"; done; echo 'bytes=4 rows=32768' ;;
    *:spmv) for type in double float; do for matrix in plane5 cube7 cube27 elasticity banded rmat; do echo "T=$type generator=$matrix"; done; done ;;
    *:batched_gemm) for type in double float; do for m in 2 4 8 16 32; do echo "T=$type m=$m"; done; done ;;
    *:stencil7) for type in double float; do for n in 128 256 512 1024; do echo "T=$type nx=$n"; done; done ;;
    *:minibude) printf 'nposes=%s\n' 2048 65536 ;;
    *:babelstream) printf 'T=%s n=33554432\n' double float half ;;
    *:hartree_fock) printf 'natoms=%s reference_atoms=1024\n' 64 256 1024 ;;  # every size is checked
  esac
}

# sizes_of WORKLOAD: those that --only takes.
sizes_of() { sizes "$1" | grep -E -- "${only:-.}" || true; }

mkdir -p "$output" ${wisdom:+"$wisdom"}
failed=0
for workload in "${workloads[@]}"; do
  job=$output/$workload.yaml
  printf 'workload: %s\nmeasure: {min_time: 20 ms, max_time: 1 s, min_samples: 5}\n' "$workload" > "$job"
  while read -r -a values; do
    name=$(IFS=_; echo "${values[*]}")
    fixed=() kept=()
    for value in "${values[@]}"; do
      if [[ $value = operation=* ]]; then kept+=(--sweep "$value"); else fixed+=("$value"); fi
    done
    resume=()
    [ ! -e "$output/$workload/$name/tune.jsonl" ] || resume=(--resume)
    "$kiln" tune "$job" --device "$device" --set "${fixed[@]}" "${kept[@]}" --budget "$budget" --output "$output/$workload/$name" \
      --wisdom "${wisdom:-kernels_src/$workload}" "${resume[@]}" "$@" < /dev/null ||
      { failed=1; echo "make_wisdom.sh: no search of $workload, ${values[*]}" >&2; }
  done < <(sizes_of "$workload")
done
exit $failed
