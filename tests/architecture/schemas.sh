#!/usr/bin/env bash
# Usage: schemas.sh ROOT: see schemas.py, which needs Python and two of its packages.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
command -v python3 > /dev/null || { echo "skipped: python3 is not installed (package python3)"; exit 77; }
for module in yaml jsonschema; do
  python3 -c "import $module" 2> /dev/null ||
    { echo "skipped: the Python package $module is not installed (package python3-$module)"; exit 77; }
done
python3 "$here/schemas.py" "${1:?usage: schemas.sh ROOT}"
