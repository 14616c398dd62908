#!/usr/bin/env bash
# Usage: run.sh SOURCE BUILD CMAKE: installs Kiln from its build folder into an empty prefix, the package over it into a virtual
# environment that is kept in BUILD, and runs the tests. Skipped without Python 3.11, its venv or PyPI. PyTorch, JAX, the
# notebook's packages and the rest are used where the environment BUILD/python_venv has them: pip install them there.
set -euo pipefail
source=$1 build=$2 cmake=$3
skip() { echo "skipped: $*"; exit 77; }
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null || skip "no Python 3.11 or later"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$cmake" --install "$build" --prefix "$folder/prefix" > /dev/null
venv=$build/python_venv
if [ ! -x "$venv/bin/pytest" ]; then
  rm -rf "$venv"
  python3 -m venv "$venv" > "$folder/log" 2>&1 || skip "no virtual environment (package python3-venv)"
  "$venv/bin/pip" install -q scikit-build-core 'nanobind>=3.1,<4' 'nanobind-backend>=1.0,<2' ninja numpy pytest mypy tqdm \
    pandas matplotlib nbclient nbformat ipykernel > "$folder/log" 2>&1 || { rm -rf "$venv"; skip "pip installs nothing from PyPI"; }
fi
# From a copy: a build leaves nothing in the tree.
mkdir "$folder/source"
cp -rL "$source/python" "$folder/source/"
rm -rf "$folder/source/python/build"
CMAKE_PREFIX_PATH=$folder/prefix CMAKE_ARGS="-D KILN_WERROR=ON" \
  "$venv/bin/pip" install -q --no-build-isolation --force-reinstall --no-deps "$folder/source/python"
cd "$folder"
XDG_CACHE_HOME=$folder/cache "$venv/bin/pytest" -q -rs -p no:cacheprovider "$source/python/tests"
