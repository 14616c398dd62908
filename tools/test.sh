#!/usr/bin/env bash
# Builds and runs every test from a fresh clone; see --help.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/common.sh
. tools/common.sh

help() {
  cat << 'END'
Usage: tools/test.sh [OPTION]...

Installs the Debian or Ubuntu packages that are missing (apt-get; as root or with sudo), builds everything with warnings
as errors and runs the tests with ctest, among them the checks of form: layers, headers, format, shell scripts, schemas,
documents. Tests that this machine cannot run are skipped and listed with the reason. A first build in build/ci compiles
each folder of src/ as one file (KILN_UNITY); after `cmake --preset ci -D KILN_UNITY=OFF` each file is built on its own.

  --sanitize LIST   build with address,undefined or with thread, and run the tests so
  --coverage        measure line coverage of src/; less than 85 % fails (needs gcovr)
  --clang           build with clang++ in place of c++
  --tidy            run clang-tidy over src/, and nothing else
  --format          format the C++ files in place (clang-format 14), and nothing else
  --all             also what takes longer: the tests of the Python package, of the tutorials, the site, Slurm, kills and
                    tools/reproduce.sh; then the newcomer's build and job (tools/quickstart.sh), the Python wheel
                    (tools/wheel.sh), every program of tests/corpus, and Kernel Tuner, from PyPI, on the files that Kiln
                    writes
  --filter REGEX    run only the tests whose name matches
  --no-install      use what is here; install no package, neither the distribution's nor Python's
END
}

preset=ci install=yes compiler="" filter="" tidy=no all=no
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) help; exit 0 ;;
    --no-install) install=no ;;
    --all) all=yes ;;
    --coverage) preset=coverage ;;
    --clang) compiler=clang++ ;;
    --tidy) tidy=yes ;;
    --format) exec tests/architecture/format.sh . --fix ;;
    --filter) [ $# -gt 1 ] || usage_error "--filter needs a regular expression"; filter=$2; shift ;;
    --sanitize)
      case ${2:-} in
        address,undefined) preset=dev ;;
        thread) preset=tsan ;;
        *) usage_error "--sanitize takes address,undefined or thread" ;;
      esac
      shift ;;
    *) usage_error "unknown argument '$1'" ;;
  esac
  shift
done
[ "$preset" != coverage ] || [ -z "$compiler" ] || usage_error "--coverage goes with the default compiler"

need_program() { command -v "$1" > /dev/null || environment_error "$1 is not installed (package $2)"; }

# The reason of each skipped test, from ctest's JUnit file, and the counts.
summary() {
  awk '
    /<testcase / { name = $0; sub(/.*<testcase name="/, "", name); sub(/".*/, "", name); sub(/  #.*/, "", name); ++total; skipped_now = printed = 0 }
    /<failure/ { ++failed }
    /<skipped/ || /status="notrun"/ { if (!skipped_now) { ++skipped; skipped_now = 1 } }
    skipped_now && !printed && /(^|>)skipped: / { line = $0; sub(/.*skipped: /, "", line); print "  " name ": " line; printed = 1 }
    skipped_now && !printed && reason_next { print "  " name ": " $0; printed = 1 }
    { reason_next = /: Skipped$/ }
    END { printf "%d passed, %d failed, %d skipped\n", total - failed - skipped, failed, skipped }' "$1"
}

if [ "$tidy" = yes ]; then
  need_program clang-tidy clang-tidy
  need_program clang++ clang
  cmake --preset tidy --log-level=WARNING >&2
  # The generated headers, without which nothing that includes them can be read.
  ninja -C build/tidy -t targets all | sed -n 's/^\(src\/embedded\/[^:]*\): CUSTOM_COMMAND.*/\1/p' | xargs ninja -C build/tidy >&2
  # shellcheck disable=SC2016 # a pattern, not a variable
  find src -name '*.cpp' | sort | xargs -P "$(nproc)" -n 1 clang-tidy --quiet -p build/tidy
  exit 0
fi

step "packages"
if [ "$install" = yes ]; then
  need_packages build test
  want_packages check
fi
[ -z "$compiler" ] || need_program "$compiler" clang
[ "$preset" != coverage ] || need_program gcovr gcovr

build=build/$preset${compiler:+-$compiler}
step "configure: preset $preset in $build"
# kiln_bench runs in no test; it is built so that it stays true to the code. clang on Debian brings no OpenMP.
benchmarks=OFF
[ "$preset" != ci ] || [ -n "$compiler" ] || benchmarks=ON
# Each folder of src/ as one file takes at most half of the processor time. A folder that is configured keeps what it has.
unity=()
[ "$preset" != ci ] || [ -n "$compiler" ] || [ -e "$build/CMakeCache.txt" ] || unity=(-D KILN_UNITY=ON)
cmake --preset "$preset" -B "$build" ${compiler:+-D CMAKE_CXX_COMPILER="$compiler"} "${unity[@]}" \
  -D KILN_BUILD_BENCHMARKS=$benchmarks --log-level=WARNING >&2
step "build"
cmake --build "$build" >&2
[ "$preset" != coverage ] || find "$build" -name '*.gcda' -delete

step "test"
result=0
[ "$install" = yes ] || export KILN_TEST_PIP=no
export LSAN_OPTIONS="suppressions=$PWD/tests/lsan.supp:print_suppressions=0"
export TSAN_OPTIONS="suppressions=$PWD/tests/tsan.supp:print_suppressions=0"
selection=()
if [ -n "$filter" ]; then selection=(-R "$filter"); elif [ "$all" = no ]; then selection=(-LE long); fi
ctest --test-dir "$build" -j "$(nproc)" --output-on-failure --no-tests=error --output-junit junit.xml \
  "${selection[@]}" || result=$?
echo
summary "$build/junit.xml"

if [ "$preset" = coverage ]; then
  step "coverage of src/"
  gcovr --root . --filter 'src/' --object-directory "$build" -j "$(nproc)" --fail-under-line 85 "$build" || result=$?
fi

if [ "$all" = yes ]; then
  step "quickstart"
  if tools/quickstart.sh --no-install && cmake --install build/release --prefix "$build/quickstart_prefix" > /dev/null &&
    "$build/quickstart_prefix/bin/kiln" --version; then say "quickstart: passed"; else result=$?; say "quickstart: failed"; fi
  step "the corpus of programs"
  if tests/corpus/run.py --kiln "$build/bin/kiln" --work "$build/corpus" --jobs "$(nproc)" --progress; then say "corpus: passed"; else result=$?; say "corpus: failed"; fi
  step "the Python wheel"
  if [ "$install" = no ]; then
    say "wheel: skipped: --no-install"
  else
    wheel=0
    timeout 480 tools/wheel.sh --prefix "$build/quickstart_prefix" --output "$build/wheel" --tests || wheel=$?
    case $wheel in
      0) say "wheel: passed" ;;
      3) say "wheel: skipped: this machine lacks what it needs, see above" ;;
      *) result=$wheel; say "wheel: failed" ;;
    esac
  fi
  step "Kernel Tuner reads what Kiln writes"
  venv=$build/kernel_tuner
  if [ "$install" = no ] && [ ! -x "$venv/bin/python3" ]; then
    say "Kernel Tuner: skipped: --no-install"
  elif [ -x "$venv/bin/python3" ] ||
    { python3 -m venv "$venv" && "$venv/bin/pip" install -q kernel-tuner==1.5.0; } > "$venv.log" 2>&1; then
    if PATH=$PWD/$venv/bin:$PATH tests/tools/exchange.sh . "$build/bin/kiln"; then say "Kernel Tuner: passed"; else result=$?; say "Kernel Tuner: failed"; fi
  else
    rm -rf "$venv"
    say "Kernel Tuner: skipped: pip cannot install it, see $venv.log"
  fi
fi
exit "$result"
