#!/usr/bin/env bash
# Usage: shellcheck.sh ROOT: checks all shell scripts of the project.
set -euo pipefail
cd "${1:?usage: shellcheck.sh ROOT}"
command -v shellcheck > /dev/null || { echo "skipped: shellcheck is not installed (package shellcheck)"; exit 77; }
shopt -s nullglob
folders=(tools tests examples*)
mapfile -t scripts < <(find "${folders[@]}" -type f \( -name '*.sh' -o -name '*.bash' \) | sort; echo .ci/run)
shellcheck -x "${scripts[@]}"
echo "${#scripts[@]} scripts pass"
