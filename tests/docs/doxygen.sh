#!/usr/bin/env bash
# Usage: doxygen.sh ROOT OUTPUT: builds the site of the public headers; a warning of doxygen's fails.
set -euo pipefail
root=${1:?usage: doxygen.sh ROOT OUTPUT} output=${2:?usage: doxygen.sh ROOT OUTPUT}
command -v doxygen > /dev/null || { echo "skipped: doxygen is not installed (package doxygen)"; exit 77; }
cd "$root"
version=$(sed -n 's/^project(kiln VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
rm -rf "$output"
mkdir -p "$output"
{ cat docs/doxygen/Doxyfile; echo "OUTPUT_DIRECTORY = \"$output\""; echo "PROJECT_NUMBER = $version"
  echo "STRIP_FROM_PATH = \"$PWD/include\" \"$PWD\""; echo "STRIP_FROM_INC_PATH = \"$PWD\""; } | doxygen -
# What must be there, by the names of doxygen's pages.
for page in index.html classkiln_1_1Service.html classkiln_1_1Function.html kiln_8h.html; do
  [ -s "$output/html/$page" ] || { echo "FAILED: the site has no $page"; exit 1; }
done
grep -q 'Allocates nothing' "$output"/html/kiln_8h.html || { echo "FAILED: no comments of kiln.h"; exit 1; }
if grep -rl 'detail::SharedMemory' "$output"/html/class*.html; then echo "FAILED: details are shown"; exit 1; fi
echo "$(find "$output/html" -name '*.html' | wc -l) pages: $output/html/index.html"
