#!/usr/bin/env bash
# Usage: example.sh SOURCE BUILD CMAKE CXX GENERATOR NAME: installs into an empty prefix, builds examples/NAME (embedding/mpi,
# embedding/cuda_runtime, applications/hpccg) against it, and runs it. Exits with 77 where something is missing here.
set -euo pipefail
source=$1 build=$2 cmake=$3 cxx=$4 generator=$5 name=$6
skip() { echo "skipped: $*"; exit 77; }
options=() run=()
case $name in
  embedding/mpi)
    command -v mpicxx > /dev/null || skip "no mpicxx (package libopenmpi-dev)"
    command -v mpirun > /dev/null || skip "no mpirun (package openmpi-bin)"
    run=(mpirun -n 4)
    # Open MPI refuses root, and more ranks than cores, without these options.
    if mpirun --version | grep -q "Open MPI"; then run+=(--allow-run-as-root --oversubscribe); fi
    run=(bash -c '"$@" ./halo && "$@" ./tuned' mpi "${run[@]}") ;;
  embedding/cuda_runtime)
    nvcc=$(command -v nvcc || command -v /usr/local/cuda/bin/nvcc || command -v /opt/cuda/bin/nvcc) || skip "no nvcc"
    options=(-D "CMAKE_CUDA_COMPILER=$nvcc")
    run=(./cuda_runtime) ;;
  applications/hpccg) run=(./check) ;;
  *) echo "no example $name"; exit 2 ;;
esac
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$cmake" --install "$build" --prefix "$folder/prefix" > /dev/null
"$cmake" -G "$generator" -S "$source/examples/$name" -B "$folder/build" -D CMAKE_PREFIX_PATH="$folder/prefix" \
  -D CMAKE_CXX_COMPILER="$cxx" -D CMAKE_BUILD_TYPE=Release "${options[@]}" > "$folder/configure" 2>&1 || { cat "$folder/configure"; exit 1; }
"$cmake" --build "$folder/build"
export XDG_CACHE_HOME=$folder/cache
cd "$folder/build"
code=0
timeout 200 "${run[@]}" > "$folder/out" 2>&1 || code=$?
cat "$folder/out"
if [ "$code" = 77 ]; then skip "built, not run: $(sed -n 's/^skipped: //p' "$folder/out")"; fi
exit "$code"
