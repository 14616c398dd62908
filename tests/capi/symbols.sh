#!/usr/bin/env bash
# symbols.sh LIBRARY LIST [--write]: the dynamic symbols that libkiln.so defines equal the list. A symbol that
# disappears, or changes its type, breaks programs that are linked with the library: KILN_ABI in include/kiln.h then has to grow.
set -euo pipefail
library=$1 list=$2
# W: what the compiler did not inline of the headers; differs by compiler and optimisation.
found=$(nm -D --defined-only -C "$library" | grep -v ' W ' | cut -d ' ' -f 3- | sed 's/@@KILN_1$//' | grep -v '^KILN_1$' | LC_ALL=C sort -u)
if [ "${3:-}" = --write ]; then
  printf '%s\n' "$found" > "$list"
fi
diff -u "$list" <(printf '%s\n' "$found") || {
  echo "FAILED: the symbols of $library are not those of $list; $0 $* --write makes it anew"
  exit 1
}
echo "$(wc -l < "$list") symbols, as listed"
