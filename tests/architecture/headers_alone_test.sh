#!/usr/bin/env bash
# headers_alone_test.sh CXX: a header that leans on what its includer includes is refused; a complete one is not.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/include/kiln" "$tree/src/base"
printf '#pragma once\n#include <string>\nstd::string good();\n' > "$tree/include/kiln/good.h"
"$here/headers_alone.sh" "$tree" "$1" || { echo "FAILED: complete headers were refused"; exit 1; }
printf '#pragma once\nstd::vector<int> bad();\n' > "$tree/src/base/bad.h"
if "$here/headers_alone.sh" "$tree" "$1" > "$tree/out" 2>&1; then
  echo "FAILED: a header without its includes was let through"; exit 1
fi
grep -q 'src/base/bad.h: does not compile alone' "$tree/out" || { echo "FAILED: not named:"; cat "$tree/out"; exit 1; }
rm "$tree/src/base/bad.h"
printf '#pragma once\n#include "base/some.h"\n' > "$tree/include/kiln/leaks.h"
printf '#pragma once\n' > "$tree/src/base/some.h"
if "$here/headers_alone.sh" "$tree" "$1" > "$tree/out" 2>&1; then
  echo "FAILED: a public header that needs src/ was let through"; exit 1
fi
rm "$tree/include/kiln/leaks.h"
for name in first second; do printf '#pragma once\nstd::vector<int> %s();\n' $name > "$tree/src/base/$name.h"; done
printf '#include "base/first.h"\n' > "$tree/src/base/first.cpp"
printf '#include <vector>\n#include "base/second.h"\n' > "$tree/src/base/second.cpp"
if "$here/headers_alone.sh" --sourceless "$tree" "$1" > "$tree/out" 2>&1; then
  echo "FAILED: a header that its source does not include first was let through"; exit 1
fi
grep -q 'src/base/second.h: does not compile alone' "$tree/out" || { echo "FAILED: not named:"; cat "$tree/out"; exit 1; }
if grep -q 'src/base/first.h' "$tree/out"; then echo "FAILED: a header was compiled that its source compiles"; exit 1; fi
