#!/usr/bin/env bash
# Usage: run.sh SOURCE PREFIX VENV: builds the package over the Kiln that is installed in PREFIX, installs it into the virtual
# environment VENV, which is kept, and runs the tests. Skipped without Python 3.11 or later, its headers and venv, or PyPI, which
# KILN_TEST_PIP=no leaves alone. PyTorch and JAX are used where VENV has them: pip install them there.
set -euo pipefail
source=$1 prefix=$2 venv=$3
skip() { echo "skipped: $*"; exit 77; }
# shellcheck disable=SC2054 # a version, not a list
packages=('scikit-build-core>=1.0' 'nanobind>=3.1,<4' 'nanobind-backend>=1.0,<2' ninja numpy pytest mypy tqdm pandas matplotlib
  nbclient nbformat ipykernel)
[ -e "$prefix/include/kiln.h" ] || skip "Kiln is not installed in $prefix"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null || skip "no Python 3.11 or later"
python3 -c 'import os, sysconfig; os.stat(sysconfig.get_path("include") + "/Python.h")' 2> /dev/null ||
  skip "no headers of Python (package python3-dev)"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# What the environment was made of, written when it is complete.
wanted="$(python3 -VV) ${packages[*]}"
if [ "$(cat "$venv/made_of" 2> /dev/null)" != "$wanted" ]; then
  [ "${KILN_TEST_PIP:-yes}" = yes ] || skip "KILN_TEST_PIP=no, and $venv is not complete"
  rm -rf "$venv"
  python3 -m venv "$venv" > "$folder/log" 2>&1 || { rm -rf "$venv"; skip "no virtual environment (package python3-venv)"; }
  "$venv/bin/pip" install -q --no-compile --disable-pip-version-check --retries 1 --timeout 20 \
    "${packages[@]}" > "$folder/log" 2>&1 ||
    { tail -n 3 "$folder/log"; rm -rf "$venv"; skip "pip installs nothing from PyPI"; }
  echo "$wanted" > "$venv/made_of"
fi
# From a copy: a build leaves nothing in the tree.
mkdir "$folder/source"
cp -rL "$source/python" "$folder/source/"
rm -rf "$folder/source/python/build"
CMAKE_PREFIX_PATH=$prefix CMAKE_ARGS="-D KILN_WERROR=ON" "$venv/bin/pip" install -q --no-compile --disable-pip-version-check \
  --no-build-isolation --force-reinstall --no-deps "$folder/source/python"
cd "$folder"
PATH=$prefix/bin:$PATH XDG_CACHE_HOME=$folder/cache PYTHONDONTWRITEBYTECODE=1 "$venv/bin/pytest" -q -rs --durations=5 -p no:cacheprovider "$source/python/tests"
