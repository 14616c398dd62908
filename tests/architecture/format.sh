#!/usr/bin/env bash
# format.sh ROOT [--fix]: every C++ file as .clang-format says. By clang-format 14 alone, because releases differ in
# details, and by none other is skipped.
set -euo pipefail
cd "${1:?usage: format.sh ROOT [--fix]}"
program=""
for name in clang-format-14 clang-format; do
  if command -v "$name" > /dev/null && "$name" --version | grep -q 'version 14\.'; then program=$name; break; fi
done
[ -n "$program" ] || { echo "skipped: clang-format 14 is not installed (package clang-format-14)"; exit 77; }
arguments=(--dry-run -Werror)
[ "${2:-}" != --fix ] || arguments=(-i)
shopt -s nullglob
folders=(src include tests examples* python/src)
files=$(find "${folders[@]}" -type f \( -name '*.h' -o -name '*.cpp' \) | sort)
xargs -P "$(nproc)" -n 16 "$program" "${arguments[@]}" <<< "$files"
echo "$(wc -l <<< "$files") files are formatted"
