#!/usr/bin/env bash
# Compiles every job with several versions of NVRTC; see --help.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
# shellcheck source=tools/common.sh
. tools/common.sh

help() {
  cat << 'END'
usage: tools/nvrtc_versions.sh [--build DIR] [--wheels DIR] [--arch A,...] VERSION...

Compiles the four workloads and the foreign examples with NVIDIA's Python wheels of each VERSION (11.8, 12.4, 13.0), which pip
fetches first where DIR does not have them. No GPU is needed. Fails if a job does not compile; the logs say why.

  --build DIR   build folder or installation with kiln (default: build)
  --wheels DIR  where the wheels and the logs lie, a folder for each version (default: results/nvrtc)
  --arch A,...  architectures (default: sm_80,sm_90)
END
}

build=build wheels=results/nvrtc arch=sm_80,sm_90 versions=()
while [ $# -gt 0 ]; do
  case $1 in
    --help) help; exit 0 ;;
    --build | --wheels | --arch)
      [ $# -ge 2 ] || usage_error "$1 needs a value"
      declare "${1#--}=$2"; shift 2 ;;
    [0-9]*.[0-9]*) versions+=("$1"); shift ;;
    *) usage_error "unknown argument '$1'" ;;
  esac
done
[ ${#versions[@]} -gt 0 ] || usage_error "name versions, such as 11.8 12.4 13.0"
kiln=$build/bin/kiln
[ -x "$kiln" ] || environment_error "no $kiln: build Kiln first (cmake --build $build)"
failures=0

# The packages of a version; NVRTC is needed, the others bring headers, and not every version has all.
install_wheels() {
  local version=$1 folder=$2 suffix=-cu${1%%.*} package wheel
  [ "${version%%.*}" -lt 13 ] || suffix=
  for package in nvrtc runtime cccl crt; do
    python3 -m pip download --no-deps --dest "$wheels/$version" "nvidia-cuda-$package$suffix==$version.*" \
      > "$wheels/$version/pip_$package.log" 2>&1 || [ $package != nvrtc ] || return 1
  done
  for wheel in "$wheels/$version"/*.whl; do python3 -m zipfile -e "$wheel" "$folder" || return 1; done
}

for version in "${versions[@]}"; do
  packages=$wheels/$version/lib/python3/site-packages
  mkdir -p "$packages"
  find "$packages" -name 'libnvrtc.so.*' | grep -q . || install_wheels "$version" "$packages" ||
    environment_error "pip cannot fetch NVRTC $version: see $wheels/$version/pip_nvrtc.log"
  library=$(find "$packages" -name 'libnvrtc.so.*' | sort | head -n 1)
  KILN_NVRTC=$library "$kiln" devices | grep '^cuda: compiles'
  for job in configs/{stencil7,babelstream,minibude,hartree_fock}.yaml configs/examples/foreign_*.yaml; do
    log=$wheels/$version/$(basename "$job" .yaml).log
    if KILN_NVRTC=$library "$kiln" compile "$job" --arch "$arch" --cache-dir "$wheels/$version/cache" > "$log" 2>&1; then
      printf '%-8s %-40s ok\n' "$version" "$job"
    else
      printf '%-8s %-40s FAILED  see %s\n' "$version" "$job" "$log"
      failures=$((failures + 1))
    fi
  done
done
if [ $failures = 0 ]; then echo "all compiled"; else echo "$failures failed"; exit 1; fi
