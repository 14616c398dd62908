#!/usr/bin/env bash
# gpu.sh WHEELS [PYTEST ARGUMENT]...: installs the package of the folder WHEELS (tools/wheel.sh --output) beside the frameworks that
# this machine's python3 has, runs the tests, also those that need a GPU, and prints what a launch costs there. Needs no network:
# WHEELS holds kiln and nanobind-backend, and pytest with what it needs if python3 has none.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
wheels=$(realpath "${1:?usage: gpu.sh WHEELS [PYTEST ARGUMENT]...}")
shift
site=$(mktemp -d)
trap 'rm -rf "$site"' EXIT
names=(kiln nanobind-backend)
python3 -c 'import pytest' 2> /dev/null || names+=(pytest)
python3 -m pip install -q --no-index --find-links "$wheels" --target "$site" "${names[@]}"
export PYTHONPATH=$site PYTHONDONTWRITEBYTECODE=1 XLA_PYTHON_CLIENT_PREALLOCATE=false
cd "$site"  # not the tree, whose folder python/ has a kiln without its extension
python3 -c 'import kiln; print(kiln.__file__, kiln.Service(application="kiln-gpu").device("cuda:0"))'
result=0
python3 -m pytest -q -rs -p no:cacheprovider "$@" "$here" || result=$?
python3 "$here/../bench/launch.py" --device cuda:0 || result=$?
exit "$result"
