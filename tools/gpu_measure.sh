#!/usr/bin/env bash
# Measures kernels and networks on a GPU beside the vendor's libraries and PyTorch; see --help.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
# shellcheck source=tools/common.sh
. tools/common.sh

help() {
  cat << 'END'
usage: tools/gpu_measure.sh --part PART [OPTION...]

Measures one part and packs its records, journals and tables into OUT/measure_PART.tar.gz, anew after each step and every 20 s: a call
that is cut off keeps what it has. Each step has a time limit; a step that fails does not stop the others. Ends with a table of the steps and
one of the ratios to the libraries and the goals (tools/ratios.py, tools/goals.csv). Exit code 1 if a step failed.

  --part PART     library   gemm (types, layouts, tf32), batched_gemm, conv2d (types, groups, dilation, ReLU), spmv and transpose
                            beside cuBLAS, cuDNN and cuSPARSE by `operation: library`; 8-bit products beside PyTorch's
                  tiles     the jobs of configs/ for these workloads as they are, and the library's rows for the same sizes
                  networks  resnet18 and mala beside PyTorch (eager, graph, torch.compile), starts from Python with an empty and a
                            filled cache, parts of the depth (`splits`) of resnet18's layers for one image
                  wisdom    tools/make_wisdom.sh for --workloads
  --build DIR     build folder or installation with bin/kiln (default: build)
  --device NAME   default: cuda:0; with cpu the sizes are small
  --out DIR       where the archive goes (default: results/measure)
  --limit S       seconds for all steps together (default: 570)
  --step-limit S  seconds for one step at most (default: 240)
  --wheels DIR    wheels of the package kiln (tools/wheel.sh), which python3 installs for this run; else python3 must have kiln
  --steps TEXT    only steps whose names match this extended regular expression, such as 'torch' or '^conv2d'; the wheels are
                  installed in any case
  --workloads W,...  wisdom: which, in this order (default: gemm,gemm_scaled,batched_gemm,transpose,spmv,layers)
  --budget TIME   wisdom: of one search (default: 40s)
  --only TEXT     wisdom: only sizes that match this extended regular expression, such as T=half
  --compile ARCH  compiles what the part would launch, for sm_90 say, and measures nothing
END
}

part="" build=build device=cuda:0 out=results/measure limit=570 step_limit=240 wheels="" budget=40s only="" compile="" steps=.
workloads=gemm,gemm_scaled,batched_gemm,transpose,spmv,layers
while [ $# -gt 0 ]; do
  case $1 in
    --help) help; exit 0 ;;
    --part | --build | --device | --out | --limit | --step-limit | --wheels | --workloads | --budget | --only | --compile | --steps)
      [ $# -ge 2 ] || usage_error "$1 needs a value"
      name=${1#--}
      declare "${name//-/_}=$2"; shift 2 ;;
    *) usage_error "unknown argument '$1'" ;;
  esac
done
case $part in
  library | tiles | networks | wisdom) ;;
  *) usage_error "--part: expected library, tiles, networks or wisdom, not '$part'" ;;
esac
for number in "$limit" "$step_limit"; do
  case $number in *[!0-9]* | "") usage_error "--limit and --step-limit: expected seconds, not '$number'" ;; esac
done
limit=$((10#$limit)) step_limit=$((10#$step_limit))   # 08 is no octal number
code=0
grep -qE -- "$steps" <<< "" 2> /dev/null || code=$?
[ $code -le 1 ] || usage_error "--steps: expected an extended regular expression, not '$steps'"
kiln=$build/bin/kiln
[ -x "$kiln" ] || environment_error "no $kiln: build Kiln first (cmake --build $build)"
kiln=$(realpath "$kiln")
gpu=yes
[ "${device%%:*}" != cpu ] || gpu=no

kept=$out/$part archive=$out/measure_$part.tar.gz
rm -rf "$kept"
mkdir -p "$kept"
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
[ -z "$compile" ] || limit=86400 step_limit=3600   # on a machine that is not lent by the minute
export KILN_CACHE_DIR=$cache/kiln
failures=0 rows=()

# A file that grows meanwhile is packed as it is (tar then ends with 1).
pack() {
  local code=0
  tar -C "$out" -czf "$archive.part" "$part" 2> /dev/null || code=$?
  [ $code -le 1 ] && mv "$archive.part" "$archive"
}
pack_now_and_then() { while sleep 20; do pack; done; }

# step NAME SECONDS COMMAND...: runs it for at most so long, with its output in a log, and packs what there is.
step() {
  local name=$1 most=$2 start=$SECONDS code=0 left=$((limit - SECONDS)) word=ok
  shift 2
  [ "$name" = wheels ] || grep -qE -- "$steps" <<< "$name" || return 0   # each step may need the wheels
  [ -z "$compile" ] || most=$step_limit
  [ "$most" -le "$step_limit" ] || most=$step_limit
  [ "$most" -le "$left" ] || most=$left
  if [ "$left" -lt 5 ]; then
    word="not run: no time left" failures=$((failures + 1))
  else
    pack_now_and_then > /dev/null 2>&1 &
    timeout --kill-after=10 "$most" "$@" > "$kept/$name.log" 2>&1 || code=$?
    kill $! && wait $! 2> /dev/null
    case $code in
      0) ;;
      124 | 137) word="cut off after $most s" failures=$((failures + 1)) ;;
      *) word="FAILED, code $code: $(grep -m 1 -i 'error' "$kept/$name.log" | cut -c 1-120)" failures=$((failures + 1)) ;;
    esac
  fi
  rows+=("$(printf '%-34s %4d s  %s' "$name" $((SECONDS - start)) "$word")")
  printf '%s\n' "${rows[-1]}"
  pack
}

# job NAME SECONDS JOB OPTION...: a job's variants, measured; the records are in NAME/records.jsonl.
job() {
  local name=$1 most=$2
  shift 2
  if [ -n "$compile" ]; then
    step "$name" "$most" "$kiln" compile "$@" --arch "$compile"
  else
    step "$name" "$most" "$kiln" run "$@" --device "$device" --output "$kept/$name"
  fi
}

# measured WORKLOAD: a job of it with the times that a step of some microseconds needs.
measured() {
  printf 'workload: %s\nmeasure: {min_time: 50 ms, max_time: 0.5 s, min_samples: 7}\n' "$1" > "$kept/$1.yaml"
  echo "$kept/$1.yaml"
}

# beside NAME SECONDS WORKLOAD LIBRARY OPTION...: Kiln, the library (LIBRARY is the value that selects it), and Kiln again.
beside() {
  local name=$1 most=$2 workload=$3 library=$4 file
  shift 4
  file=$(measured "$workload")
  job "${name}_kiln" "$most" "$file" "$@"
  [ -n "$compile" ] || with_set job "${name}_library" "$most" "$file" "$library" "$@"
  [ -n "$compile" ] || job "${name}_kiln_again" "$most" "$file" "$@"
}

# with_set COMMAND NAME SECONDS FILE VALUE... -- the first VALUE is set beside those that follow --set.
with_set() {
  local command=$1 name=$2 most=$3 file=$4 value=$5 options=() found=no word
  shift 5
  for word in "$@"; do
    options+=("$word")
    if [ "$word" = --set ]; then options+=("$value"); found=yes; fi
  done
  [ "$found" = yes ] || options+=(--set "$value")
  "$command" "$name" "$most" "$file" "${options[@]}"
}

network_bench=(python3 python/bench/networks.py --workloads kernels_src --device "$device")
# The wheel of nanobind-backend is that which this Python takes.
install_wheels=(python3 -m pip install -q --no-index --no-compile --find-links "$wheels" --target "$cache/site" kiln)

measure_library() {
  local all="T=float,double,half,bfloat16" sizes="1024,2048,4096,8192" middle=4096
  if [ $gpu = no ]; then all="T=float,double" sizes=128,256 middle=256; fi
  beside gemm 100 gemm operation=library --sweep "$all" "m=$sizes"
  beside gemm_layouts 60 gemm operation=library --set "m=$middle" --sweep "$all" trans_a=false,true trans_b=false,true
  if [ $gpu = yes ]; then
    beside gemm_small 20 gemm operation=library --set T=float --sweep m=256,512
    job gemm_tf32_kiln 40 "$(measured gemm)" --set T=float operation=wgmma --sweep "m=$sizes" trans_b=false,true
    job gemm_tf32_library 40 "$(measured gemm)" --set T=float operation=library tf32=true --sweep "m=$sizes" trans_b=false,true
    # PyTorch's rows are of a graph of 20 calls.
    job gemm_fp8 40 "$(measured gemm)" --set T=fp8_e4m3 trans_b=true graph=true times=20 --sweep "m=$sizes" Out=half,bfloat16
    job gemm_scaled 60 "$(measured gemm_scaled)" --set graph=true times=20 --sweep "m=$sizes"
    for shape in 7168,128,16384 7168,4096,16384 24576,4096,1536; do
      IFS=, read -r m n k <<< "$shape"
      beside "gemm_${m}x$n" 20 gemm operation=library --set T=bfloat16 "m=$m" "n=$n" "k=$k" trans_b=true
      job "gemm_scaled_${m}x$n" 20 "$(measured gemm_scaled)" --set "m=$m" "n=$n" "k=$k" graph=true times=20
    done
    [ -n "$compile" ] || step products 60 python3 python/bench/products.py --device "$device"
    beside batched_gemm 60 batched_gemm method=library --sweep T=float,double m=2,4,8,16,32
    beside spmv 80 spmv method=library --sweep T=double,float generator=plane5,cube7,cube27,elasticity,banded,rmat
    [ -n "$compile" ] || job spmv_library_2 60 "$(measured spmv)" --set method=library algorithm=2 --sweep T=double,float generator=plane5,cube7,cube27,elasticity,banded,rmat
    measure_convolutions
  fi
  beside transpose 40 transpose implementation=library --sweep bytes=4,8 "rows=$([ $gpu = yes ] && echo 16384,32768 || echo 512)"
}

# The layers of ResNet18 and of a VAE, then what else the workload has.
measure_convolutions() {
  local layer size c filters filter stride
  for layer in '224 3 64 7 2' '56 64 64 3 1' '56 64 128 3 2' '56 64 128 1 2' '28 128 128 3 1' '28 128 256 3 2' '14 256 256 3 1' '14 256 512 3 2' '7 512 512 3 1'; do
    read -r size c filters filter stride <<< "$layer"
    convolution "${size}_${c}_${filters}_$filter" 30 --set "h=$size" "c=$c" "filters=$filters" "filter_h=$filter" "stride=$stride" --sweep batch=8,64 T=half,float
  done
  convolution tf32 30 --set T=float operation=wgmma batch=64 --sweep h=56 c=64 filters=64
  for layer in '128 512 512' '256 512 512' '512 512 256' '512 256 256' '1024 256 128' '1024 128 128'; do
    read -r size c filters <<< "$layer"
    convolution "vae_${size}_${c}_$filters" 20 --set T=half batch=1 "h=$size" "c=$c" "filters=$filters"
  done
  convolution groups 20 --set batch=8 h=28 c=256 filters=256 --sweep T=half,float groups=2,4
  convolution dilation 20 --set batch=8 h=28 c=128 filters=128 dilation=2 padding=2 --sweep T=half,float
  convolution relu 20 --set batch=8 h=28 c=128 filters=128 relu=true --sweep T=half,float
}
convolution() {
  local name=$1 most=$2 file word options=()
  shift 2
  file=$(measured conv2d)
  job "conv2d_${name}_kiln" "$most" "$file" "$@"
  [ -z "$compile" ] || return 0
  for word in "$@"; do
    if [ "$word" = operation=wgmma ]; then options+=(tf32=true); else options+=("$word"); fi
  done
  with_set job "conv2d_${name}_library" $((2 * most)) "$file" operation=library "${options[@]}"
}

measure_tiles() {
  local workload library small=()
  for workload in gemm gemm_scaled batched_gemm conv2d transpose spmv; do
    [ $gpu = yes ] || small=(--set "$(small_size $workload)")
    job "$workload" 120 "configs/$workload.yaml" "${small[@]}"
    [ -z "$compile" ] || continue
    library=operation=library
    case $workload in
      gemm_scaled) continue ;;   # the plug-in has no such product; the part library asks PyTorch
      batched_gemm | spmv) library=method=library ;;
      transpose) library=implementation=library ;;
    esac
    [ $gpu = yes ] || case $workload in batched_gemm | conv2d | spmv) continue ;; esac
    library_job "$workload" "$library" "${small[@]}"
  done
}
small_size() {
  case $1 in
    gemm | gemm_scaled) echo m=256 ;;
    batched_gemm) echo batch=1000 ;;
    conv2d) echo h=14 ;;
    transpose) echo rows=512 ;;
    spmv) echo extent=12 ;;
  esac
}
library_job() {
  local workload=$1 library=$2 file=configs/$1.yaml
  shift 2
  case $workload in
    gemm) [ $gpu = yes ] || set -- "$@" --sweep T=float,double ;;
    conv2d) set -- "$@" --sweep layout=nhwc ;;
    transpose) set -- "$@" --sweep bytes=4,8 ;;
  esac
  with_set job "${workload}_library" 60 "$file" "$library" "$@"
}

measure_networks() {
  local batches=1,8,16,64 points=8748,2099520,16796160 types=float,half layer size c splits name
  local one=(--set T=half batch=1)
  [ $gpu = yes ] || { batches=1 points=8748 types=float; }
  job resnet18 90 configs/resnet18.yaml --sweep "T=$types" "batch=$batches"
  job mala 60 configs/mala.yaml --sweep "T=$types" "rows=$points"
  if [ $gpu = yes ]; then
    job resnet18_tf32 60 configs/resnet18.yaml --set T=float operation=wgmma --sweep "batch=$batches"
    job mala_tf32 30 configs/mala.yaml --set T=float operation=mma --sweep "rows=$points"
    # By its rule a layer takes all multiprocessors, conv2d at most 0.88 of them: 3 and 6 parts in place of 4 and 8 here.
    for layer in '28 128 2,3,4' '14 256 4,5,6,7,8' '7 512 4,5,6,7,8'; do
      read -r size c splits <<< "$layer"
      job "splits_$size" 30 "$(measured layers)" --set T=half batch=1 "h=$size" "c=$c" "filters=$c" graph=true --sweep "splits=$splits" add=false,true
    done
    job splits_default 30 configs/resnet18.yaml "${one[@]}"
    job splits_of_conv2d 30 configs/resnet18.yaml "${one[@]}" layer2_0_conv2.splits=3 layer2_1_conv1.splits=3 layer2_1_conv2.splits=3 \
      layer3_0_conv2.splits=6 layer3_1_conv1.splits=6 layer3_1_conv2.splits=6
    job splits_default_again 30 configs/resnet18.yaml "${one[@]}"
  fi
  [ -z "$compile" ] || return 0
  step starts 90 python3 python/bench/start.py --device "$device"
  if [ $gpu = yes ]; then
    for name in float half; do
      KILN_CACHE_DIR=$cache/start_$name job "start_cold_$name" 30 configs/resnet18.yaml --set batch=1 "T=$name"
      KILN_CACHE_DIR=$cache/start_$name job "start_warm_$name" 30 configs/resnet18.yaml --set batch=1 "T=$name"
    done
    for name in mala resnet18_half resnet18_float resnet18_tf32; do
      step "${name}_beside_torch" 180 "${network_bench[@]}" --only "$name" --rounds 11
    done
  else
    step mala_beside_torch 180 "${network_bench[@]}" --only mala_8748 --rounds 3
  fi
}

measure_wisdom() {
  local workload
  mkdir -p "$kept/searches"
  for workload in ${workloads//,/ }; do
    step "wisdom_$workload" "$step_limit" tools/make_wisdom.sh --kiln "$kiln" --budget "$budget" --output "$kept/searches" --wisdom "$kept/wisdom" \
      ${only:+--only "$only"} --device "$device" "$workload"
  done
}

nvidia-smi > "$kept/nvidia-smi.log" 2>&1 || true
"$kiln" devices > "$kept/devices.log" 2>&1 || true
if [ -n "$wheels" ]; then
  export PYTHONPATH=$cache/site${PYTHONPATH:+:$PYTHONPATH}
  step wheels 60 "${install_wheels[@]}"
fi
others=${#rows[@]}
measure_"$part"
[ ${#rows[@]} -gt "$others" ] || usage_error "--steps: no step of part '$part' on $device matches '$steps'"

printf '%s\n' "${rows[@]}" > "$kept/steps.txt"
if [ -z "$compile" ] && [ "$part" != wisdom ]; then
  goals=(--goals tools/goals.csv)
  [ $gpu = yes ] || goals=()   # which are for a GPU
  python3 tools/ratios.py "$kept" "${goals[@]}" > "$kept/ratios.md" || failures=$((failures + 1))
  cat "$kept/ratios.md"
fi
pack
echo
cat "$kept/steps.txt"
if [ $failures = 0 ]; then echo "all steps passed; $archive"; else echo "$failures steps failed; $archive"; exit 1; fi
