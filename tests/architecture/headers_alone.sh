#!/usr/bin/env bash
# headers_alone.sh [--sourceless] ROOT [CXX [FOLDER...]]: compiles each header of include/ and src/, or of these folders, by
# itself, without the precompiled one: a public header with include/ alone, the others with src/ too. --sourceless: without
# those that a source of their own name includes first, which builds without KILN_UNITY compile so. portable/ and shim/ in
# src/compile hold text for kernels, which is no host code.
set -euo pipefail
sourceless=no
[ "${1:-}" != --sourceless ] || { sourceless=yes; shift; }
cd "${1:?usage: headers_alone.sh [--sourceless] ROOT [CXX [FOLDER...]]}"
cxx=${2:-c++}
export cxx
folders=("${@:3}")
[ "${#folders[@]}" -gt 0 ] || folders=(include src)

compile_alone() {
  paths=(-I include)
  case $1 in src/*) paths+=(-I src) ;; esac
  "$cxx" -std=c++20 -fsyntax-only -Wall -Wextra "${paths[@]}" -include "$1" -x c++ - <<< '' && return
  echo "$1: does not compile alone"
  return 1
}
export -f compile_alone

headers=$(find "${folders[@]}" -name '*.h' -not -path 'src/compile/portable/*' -not -path 'src/compile/*/shim/*' | sort)

# Whether the first #include of x.cpp is x.h.
has_source() {
  [ -e "${1%.h}.cpp" ] && [ "$(grep -m 1 '^#include' "${1%.h}.cpp")" = "#include \"${1#src/}\"" ]
}
if [ "$sourceless" = yes ]; then
  headers=$(while read -r header; do has_source "$header" || echo "$header"; done <<< "$headers")
fi
[ -n "$headers" ] || { echo "no header found"; exit 1; }
# shellcheck disable=SC2016 # expanded by the inner shell
xargs -P "$(nproc)" -n 1 bash -c 'compile_alone "$1"' - <<< "$headers"
echo "$(wc -l <<< "$headers") headers compile alone"
