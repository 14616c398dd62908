#!/usr/bin/env bash
# fuzz.sh [--time SECONDS] [--jobs N] [--build DIR] [--no-build] [TARGET...]: builds the fuzz targets with clang++ and runs
# each for so long (default 600 s), N at once (default 1), then prints a table. A finding is left in DIR/findings/ and ends
# the run with 1; what is new goes to DIR/corpus/, and `kiln_fuzz_NAME -merge=1 tests/fuzz/corpus/NAME DIR/corpus/NAME`
# keeps the best of it. DIR is build/fuzz.
# With --no-build the programs are those in DIR/tests/fuzz, which may come from another machine: DIR/tests/fuzz/kiln_fuzz_*
# and DIR/tests/fuzz/lib need no clang there.
set -euo pipefail
cd "$(dirname "$0")/.."
all=(entry bundle yaml records study capsule numbers matrix kernel settings expression state tune program)
seconds=600
jobs=1
build=build/fuzz
make=yes
targets=()
while [ $# -gt 0 ]; do
  case "$1" in
    --time) seconds=${2:?--time needs a number}; shift ;;
    --jobs) jobs=${2:?--jobs needs a number}; shift ;;
    --build) build=${2:?--build needs a folder}; shift ;;
    --no-build) make=no ;;
    *)
      case " ${all[*]} " in
        *" $1 "*) targets+=("$1") ;;
        *) echo "usage: fuzz.sh [--time SECONDS] [--jobs N] [--build DIR] [--no-build] [${all[*]}]" >&2; exit 2 ;;
      esac ;;
  esac
  shift
done
[ ${#targets[@]} -gt 0 ] || targets=("${all[@]}")

build_targets() {
  command -v clang++ > /dev/null || { echo "fuzz.sh: clang++ is not installed (package clang)" >&2; exit 3; }
  cmake --preset dev -B "$build" -D CMAKE_CXX_COMPILER=clang++ -D KILN_BUILD_FUZZERS=ON -D KILN_STATIC_DEPENDENCIES=ON \
    -D CMAKE_CXX_FLAGS_DEBUG="-O1 -g" --log-level=WARNING
  cmake --build "$build" --target "${targets[@]/#/kiln_fuzz_}"
  # What is not linked statically goes beside the programs: muParser, and the C++ run time that they share with it.
  mkdir -p "$build/tests/fuzz/lib"
  ldd "$build/tests/fuzz/kiln_fuzz_${targets[0]}" | awk '/muparser|libgomp|libstdc|libgcc_s/ && $3 ~ /^\// {print $3}' |
    while read -r library; do cp -Lf "$library" "$build/tests/fuzz/lib/"; done
}
[ "$make" = no ] || build_targets

mkdir -p "$build/findings" "$build/logs"

# Exit code 77 is the leak checker's and the sanitizers', 70 the time limit's.
fuzz_one() {
  local target=$1
  mkdir -p "$build/corpus/$target"
  "$build/tests/fuzz/kiln_fuzz_$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=8192 \
    -print_final_stats=1 -artifact_prefix="$build/findings/$target-" "$build/corpus/$target" "tests/fuzz/corpus/$target" \
    > "$build/logs/$target.log" 2>&1 || echo "$target" >> "$build/logs/failed"
}

rm -f "$build/logs/failed"
for target in "${targets[@]}"; do
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
  echo "== $target, $seconds s"
  fuzz_one "$target" &
done
wait

echo
echo "| reader | inputs | findings |"
echo "| --- | ---: | --- |"
for target in "${targets[@]}"; do
  inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/logs/$target.log")
  found=none
  if grep -qx "$target" "$build/logs/failed" 2> /dev/null; then
    found=$(grep -m 1 -E 'ERROR: |runtime error: |Test unit written' "$build/logs/$target.log" | tr '|' ' ' || true)
    found="${found:-did not run} (see $build/logs/$target.log)"
  fi
  echo "| $target | ${inputs:-0} | $found |"
done
[ ! -e "$build/logs/failed" ]
