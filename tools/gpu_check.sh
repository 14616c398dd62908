#!/usr/bin/env bash
# Runs everything that needs a GPU and leaves its logs; see --help.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
# shellcheck source=tools/common.sh
. tools/common.sh

help() {
  cat << 'END'
usage: tools/gpu_check.sh [--build DIR] [--data DIR] [--out DIR] [--skip PART,...]

Runs what needs a GPU: the tests labelled gpu, four workloads and every example on cuda:0 with every check, a job with
a trace, which is looked through, four workloads through the HIP back end over CUDA (test shim), every workload under
compute-sanitizer (memcheck, racecheck; side by side), a study of constants, and kiln_bench --gpu. Fails if anything
does; the logs say what.

  --build DIR  build folder or installation with kiln and kiln_gpu_tests (default: build)
  --data DIR   inputs that are not part of the repository: DIR/minibude/bm1 and DIR/hartree-fock/he* (default: none)
  --out DIR    where the logs go (default: results/gpu)
  --skip PART  leaves these out: tests, jobs, shim, examples, sanitizer, study, bench
END
}

build=build data="" out=results/gpu skipped=""
while [ $# -gt 0 ]; do
  case $1 in
    --help) help; exit 0 ;;
    --build | --data | --out)
      [ $# -ge 2 ] || usage_error "$1 needs a folder"
      declare "${1#--}=$2"; shift 2 ;;
    --skip)
      [ $# -ge 2 ] || usage_error "$1 needs names of parts"
      skipped=,$2,; shift 2 ;;
    *) usage_error "unknown argument '$1'" ;;
  esac
done

parts="tests jobs shim examples sanitizer study bench"
for part in ${skipped//,/ }; do
  case " $parts " in *" $part "*) ;; *) usage_error "--skip: no part '$part'; they are: ${parts// /, }" ;; esac
done
wanted() { case $skipped in *,"$1",*) return 1 ;; esac; }

kiln=$build/bin/kiln
tests=$build/tests/gpu/kiln_gpu_tests
[ -x "$tests" ] || tests=$build/bin/kiln_gpu_tests
[ -x "$kiln" ] || environment_error "no $kiln: build Kiln first (cmake --build $build)"
mkdir -p "$out"
failures=0 not_run=()

# tell NAME COMMAND...: runs it with its output in a log; a table line for each.
tell() {
  local name=$1 start=$SECONDS
  shift
  if "$@" > "$out/$name.log" 2>&1; then
    printf '%-32s ok       %4d s\n' "$name" $((SECONDS - start))
  else
    printf '%-32s FAILED   %4d s  see %s\n' "$name" $((SECONDS - start)) "$out/$name.log"
    return 1
  fi
}
check() { tell "$@" || failures=$((failures + 1)); }
missing() { not_run+=("$1"); say "$2"; }

# begin NAME COMMAND...: the same beside others, no more than there are cores; finish waits for all of them.
begun=()
begin() {
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do sleep 0.2; done
  tell "$@" & begun+=($!)
}
finish() {
  local process
  for process in "${begun[@]}"; do wait "$process" || failures=$((failures + 1)); done
  begun=()
}

shim=$build/tests/hip_shim/libkiln_hip_shim.so
run_job_over_shim() {
  "$kiln" run "$1" --device hip:0 --hip "$shim" --hiprtc "$shim" --output "$out/records_hip_over_cuda" "${@:2}"
}
run_job() { "$kiln" run "$1" --device cuda:0 --output "$out/records" "${@:2}"; }

traced_job() {
  run_job configs/quickstart.yaml --trace "$out/trace.json" && python3 tests/tools/check_trace.py "$out/trace.json"
}

# Every variant, small: the sanitizer makes a kernel a hundred times slower.
sanitized() {
  local tool=$1 workload=$2
  # Kiln queries one parameter more than a kernel has, to learn their number: the tool reports a harmless error.
  local quiet=()
  [ "$tool" != memcheck ] || quiet=(--report-api-errors no)
  compute-sanitizer --tool "$tool" --error-exitcode 9 "${quiet[@]}" \
    "$kiln" run "$out/sanitizer_$workload.yaml" --device cuda:0 --output "$out/records_${tool}_$workload"
}

# sanitizer_job WORKLOAD SET SWEEP: a job for `sanitized`.
sanitizer_job() {
  printf 'workload: %s\nset: {%s}\nsweep: {%s, bind.all: [run, compile]}\nmeasure: false\n' "$@" > "$out/sanitizer_$1.yaml"
}

check nvidia-smi nvidia-smi
check devices "$kiln" devices
"$kiln" devices || true
if wanted tests; then
  if [ -x "$tests" ]; then check gpu_tests "$tests"; else missing tests "no kiln_gpu_tests in $build: not run"; fi
fi

if wanted jobs; then
  for workload in stencil7 babelstream minibude hartree_fock; do
    check "run_$workload" run_job "configs/$workload.yaml"
  done
  check trace traced_job
  if [ -n "$data" ]; then
    check run_minibude_bm1 run_job configs/minibude.yaml --set "deck=$data/minibude/bm1"
    for input in "$data"/hartree-fock/he*; do
      check "run_hartree_fock_$(basename "$input")" run_job configs/hartree_fock.yaml --set "input=$input"
    done
  else
    missing "decks and helium files" "no --data: decks and helium files are not run"
  fi
fi
if wanted shim && [ -f "$shim" ]; then
  for workload in stencil7 babelstream minibude hartree_fock; do
    check "hip_over_cuda_$workload" run_job_over_shim "configs/$workload.yaml"
  done
elif wanted shim; then
  missing shim "no $shim: the HIP back end is not run"
fi
if wanted examples; then
  for job in configs/examples/*.yaml; do
    check "example_$(basename "$job" .yaml)" run_job "$job"
  done
fi

if wanted sanitizer && command -v compute-sanitizer > /dev/null; then
  sanitizer_job stencil7 "nx: 64" "implementation: [tuned, paper], method: [march, halves], T: [double, float]"
  sanitizer_job babelstream "n: 262144" "implementation: [tuned, paper]"
  sanitizer_job minibude "nposes: 512" "implementation: [tuned, paper]"
  sanitizer_job hartree_fock "natoms: 8" "implementation: [tuned, paper]"
  sanitizer_job resnet18 "batch: 1, image_h: 64" "T: [float, half]"
  sanitizer_job gemm "m: 200, n: 136, k: 96" "T: [float, half, bfloat16, fp8_e4m3, double], operation: [fma, fma_boxes, mma, mma_boxes, wgmma, wgmma_split], trans_a: [false, true]"
  sanitizer_job gemm_scaled "m: 136, n: 128, k: 256" "Out: [float, bfloat16], operation: [fma, mma, wgmma]"
  sanitizer_job batched_gemm "m: 5, batch: 64, alpha: 2, beta: 1, bind.m: compile, bind.n: compile, bind.k: compile" "T: [float, double], method: [registers, shared]"
  sanitizer_job conv2d "batch: 2, h: 14, c: 32, filters: 64" "T: [float, half], layout: [nhwc, nchw]"
  sanitizer_job layers "batch: 2, h: 14, c: 32, filters: 64" "T: [float, half], add: [false, true]"
  sanitizer_job spmv "extent: 12" "generator: [cube7, rmat], method: [vector, stream, merge, hot, window, measured]"
  sanitizer_job transpose "rows: 208, columns: 144" "bytes: [1, 4, 16], implementation: [tuned, paper]"
  sanitizer_job mala "rows: 300" "T: [float, half]"
  sanitizer_job xsbench "size: small, n_gridpoints: 200, lookups: 3000" "implementation: [tuned, paper], grid_type: [hash, unionized, nuclide]"
  sanitizer_job su3 "L: 4" "implementation: [tuned, paper], T: [float, double]"
  sanitizer_job cloverleaf "nx: 40, ny: 36, end_step: 3" "implementation: [tuned, paper]"
  sanitizer_job sort "n: 20000" "Key: [unsigned, ulong], payload: [true, false]"
  for tool in memcheck racecheck; do
    for workload in resnet18 gemm gemm_scaled batched_gemm conv2d layers spmv transpose mala xsbench su3 cloverleaf sort \
      stencil7 babelstream minibude hartree_fock; do
      begin "${tool}_$workload" sanitized $tool $workload
    done
  done
  finish
elif wanted sanitizer; then
  missing sanitizer "compute-sanitizer is not in PATH: not run"
fi

if wanted study; then
  check study_minibude "$kiln" study configs/studies/minibude_constants.yaml --device cuda:0 --output "$out/study"
  cat "$out/study_minibude.log"
fi

if wanted bench && [ -x "$build/bin/kiln_bench" ]; then
  check bench "$build/bin/kiln_bench" --gpu
  cat "$out/bench.log"
elif wanted bench; then
  missing bench "no kiln_bench in $build (configure with -DKILN_BUILD_BENCHMARKS=ON): not run"
fi

for part in ${skipped//,/ }; do not_run+=("$part"); done
left=""
if [ ${#not_run[@]} -gt 0 ]; then printf -v left '%s, ' "${not_run[@]}"; left="; not run: ${left%, }"; fi
if [ $failures = 0 ]; then echo "all that ran passed$left; logs in $out"; else echo "$failures failed$left; logs in $out"; exit 1; fi
