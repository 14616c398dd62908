#!/usr/bin/env bash
# Plants one violation of each rule in a tree of its own and expects layers.sh to name it; the clean tree passes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
check=$here/layers.sh
# shellcheck source=tests/architecture/refusals.sh
. "$here/refusals.sh"

make_clean_tree() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree"/src/{base,device,job} "$tree/include/kiln"
  printf 'kiln_layer(base)\nkiln_layer(device)\nkiln_layer(job)\n' > "$tree/src/CMakeLists.txt"
  printf '#include "kiln/error.h"\n#include <string>\n' > "$tree/src/base/text.h"
  printf '#include "base/text.h"\n#if defined(__CUDACC__)\n#endif\n' > "$tree/src/device/device.h"
  printf '#include "device/device.h"\nauto home = getenv("HOME");\n' > "$tree/src/job/job.cpp"
  printf '#include "job/job.h"\n' > "$tree/src/main.cpp"
  printf '#include <string>\n' > "$tree/include/kiln/error.h"
}

# refuses NAME FILE LINE EXPECTED: appends LINE to FILE of a clean tree and looks for EXPECTED in the complaint.
refuses() {
  make_clean_tree
  mkdir -p "$(dirname "$tree/$2")"
  printf '%s\n' "$3" >> "$tree/$2"
  is_refused "$1" "$4"
}

make_clean_tree
passes
refuses "an upward include" src/base/text.h '#include "job/job.h"' \
        'src/base/text.h:3: layer base includes "job/job.h" of the higher layer job'
refuses "an upward include with odd spacing" src/base/text.h ' #  include "device/device.h"' 'higher layer device'
refuses "a path that is not from src/" src/job/job.cpp '#include "helper.h"' 'beginning with a layer'
refuses "a folder that is no layer" src/extra/extra.cpp 'int x;' 'src/extra/ is not in the list'
refuses "a vendor condition above device and compile" src/job/job.cpp '#ifdef __HIP_PLATFORM_AMD__' 'condition on a vendor'
refuses "a second getenv" src/base/text.h 'auto path = std::getenv("PATH");' 'a second call of getenv'
refuses "a private header in a public one" include/kiln/error.h '#include "base/text.h"' 'which is not installed'
refuses "a third-party header in a public one" include/kiln/error.h '#include <spdlog/spdlog.h>' 'needs a third-party one'
