#!/usr/bin/env bash
# Usage: consumer.sh SOURCE BUILD CMAKE CXX GENERATOR: installs into an empty prefix, builds examples/embedding against it with
# find_package(kiln), and runs the example.
set -euo pipefail
source=$1 build=$2 cmake=$3 cxx=$4 generator=$5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$cmake" --install "$build" --prefix "$folder/prefix" > /dev/null
cp -r "$source/examples/embedding" "$folder/example"
"$cmake" -G "$generator" -S "$folder/example" -B "$folder/build" -D CMAKE_PREFIX_PATH="$folder/prefix" -D CMAKE_CXX_COMPILER="$cxx" \
  -D CMAKE_BUILD_TYPE=Release
"$cmake" --build "$folder/build"
export KILN_CACHE_DIR=$folder/cache KILN_WORKLOAD_PATH=$folder/prefix/share/kiln/kernels_src
cd "$folder/build"
for program in ./*; do
  if [ -f "$program" ] && [ -x "$program" ]; then
    echo "== $program"
    "$program"
    ran=yes
  fi
done
[ "${ran:-}" = yes ] || { echo "FAILED: the example built no program"; exit 1; }
