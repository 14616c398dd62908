#!/usr/bin/env bash
# fuzz.sh [--time SECONDS] [TARGET...]: builds the fuzz targets with clang++ and runs each (entry, bundle, yaml) for so long,
# default 600 s. A finding is left in build/fuzz/findings/ and ends the run with 1; what it finds new goes to
# build/fuzz/corpus/, and `kiln_fuzz_NAME -merge=1 tests/fuzz/corpus/NAME build/fuzz/corpus/NAME` keeps the best of it.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=600
targets=()
while [ $# -gt 0 ]; do
  case "$1" in
    --time) seconds=${2:?--time needs a number}; shift ;;
    entry | bundle | yaml) targets+=("$1") ;;
    *) echo "usage: fuzz.sh [--time SECONDS] [entry|bundle|yaml]..." >&2; exit 2 ;;
  esac
  shift
done
[ ${#targets[@]} -gt 0 ] || targets=(entry bundle yaml)
command -v clang++ > /dev/null || { echo "fuzz.sh: clang++ is not installed (package clang)" >&2; exit 3; }

cmake --preset dev -B build/fuzz -D CMAKE_CXX_COMPILER=clang++ -D KILN_BUILD_FUZZERS=ON -D CMAKE_CXX_FLAGS_DEBUG="-O1 -g" \
  --log-level=WARNING
cmake --build build/fuzz --target "${targets[@]/#/kiln_fuzz_}"
mkdir -p build/fuzz/findings
for target in "${targets[@]}"; do
  mkdir -p "build/fuzz/corpus/$target"
  echo "== $target, $seconds s"
  "build/fuzz/tests/fuzz/kiln_fuzz_$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/findings/$target-" "build/fuzz/corpus/$target" "tests/fuzz/corpus/$target"
done
