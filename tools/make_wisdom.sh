#!/usr/bin/env bash
# make_wisdom.sh [--kiln PROGRAM] [--budget BUDGET] [--output DIR] --device DEVICE [WORKLOAD...] [-- OPTION...]: searches for the best
# points of the shipped workloads on a device, each size by itself, and merges them into kernels_src/NAME/NAME.wisdom.yaml. Each
# search has BUDGET (default 3min) and leaves its journal in DIR (default results/wisdom), from which it goes on if it is there.
# OPTION... are more options of `kiln tune`, such as `--searcher portfolio`.
set -euo pipefail
cd "$(dirname "$0")/.."
kiln=build/release/bin/kiln budget=3min output=results/wisdom device="" workloads=()
usage() { echo "usage: make_wisdom.sh [--kiln PROGRAM] [--budget BUDGET] [--output DIR] --device DEVICE [WORKLOAD...] [-- OPTION...]" >&2; exit 2; }
while [ $# -gt 0 ]; do
  case "$1" in
    --kiln) kiln=${2:?--kiln needs a program}; shift ;;
    --budget) budget=${2:?--budget needs a budget}; shift ;;
    --output) output=${2:?--output needs a folder}; shift ;;
    --device) device=${2:?--device needs a device}; shift ;;
    --) shift; break ;;
    stencil7 | minibude | babelstream | hartree_fock | transpose | spmv | batched_gemm) workloads+=("$1") ;;
    *) usage ;;
  esac
  shift
done
[ -n "$device" ] || usage
[ ${#workloads[@]} -gt 0 ] || workloads=(stencil7 minibude babelstream hartree_fock transpose spmv batched_gemm)

# sizes WORKLOAD: a line of values for each search; on a CPU those that it can check and measure many points of.
sizes() {
  case "$device:$1" in
    cpu:stencil7) for type in double float; do for n in 128 256; do echo "T=$type nx=$n"; done; done ;;
    cpu:minibude) echo nposes=2048 ;;
    cpu:babelstream) echo 'T=double n=16777216' ;;
    cpu:hartree_fock) printf 'natoms=%s reference_atoms=64\n' 32 64 ;;
    cpu:transpose) printf 'bytes=%s rows=4096\n' 4 8 ;;
    cpu:spmv) printf 'generator=%s\n' cube7 elasticity ;;
    cpu:batched_gemm) printf 'm=%s\n' 4 8 16 32 ;;
    *:transpose) for bytes in 1 2 4 8 16; do echo "bytes=$bytes rows=16384"; done; echo 'bytes=4 rows=32768' ;;
    *:spmv) for type in double float; do for matrix in plane5 cube7 cube27 banded rmat; do echo "T=$type generator=$matrix"; done; done ;;
    *:batched_gemm) for type in double float; do for m in 2 4 8 16 32; do echo "T=$type m=$m"; done; done ;;
    *:stencil7) for type in double float; do for n in 128 256 512 1024; do echo "T=$type nx=$n"; done; done ;;
    *:minibude) printf 'nposes=%s\n' 2048 65536 ;;
    *:babelstream) printf 'T=%s n=33554432\n' double float half ;;
    *:hartree_fock) printf 'natoms=%s reference_atoms=1024\n' 64 256 1024 ;;  # every size is checked
  esac
}

mkdir -p "$output"
for workload in "${workloads[@]}"; do
  job=$output/$workload.yaml
  printf 'workload: %s\nmeasure: {min_time: 20 ms, max_time: 1 s, min_samples: 5}\n' "$workload" > "$job"
  sizes "$workload" | while read -r -a values; do
    name=$(IFS=_; echo "${values[*]}")
    resume=()
    [ ! -e "$output/$workload/$name/tune.jsonl" ] || resume=(--resume)
    "$kiln" tune "$job" --device "$device" --set "${values[@]}" --budget "$budget" --output "$output/$workload/$name" \
      --wisdom "kernels_src/$workload" "${resume[@]}" "$@" < /dev/null
  done
done
