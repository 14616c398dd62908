#!/usr/bin/env bash
# layers.sh ROOT: the rules on which file may know of which, by their text.
#  - src/<layer>/ includes from its own layer and those listed before it in src/CMakeLists.txt, by paths from src/;
#  - include/kiln/ includes nothing of src/ and no third-party header;
#  - conditions on a vendor's macros stand in src/device and src/compile only;
#  - getenv is called in one place.
set -euo pipefail
cd "${1:?usage: layers.sh ROOT}"

mapfile -t layers < <(sed -n 's/^kiln_layer(\([a-z_]*\).*/\1/p' src/CMakeLists.txt)
generated=$(sed -nE 's/^kiln_(embed|source_digest)\([a-z_]* ([a-z_.]*).*/\2/p' src/CMakeLists.txt | paste -sd ' ')  # headers of embedded texts, digests
[ "${#layers[@]}" -gt 0 ] || { echo "src/CMakeLists.txt: no kiln_layer(...) found"; exit 1; }

# shellcheck disable=SC2016 # awk has its own variables
find src include -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.in' \) -print0 | sort -z |
  xargs -0 awk -v layer_list="${layers[*]}" -v generated="$generated" '
    function refuse(what) { printf "%s:%d: %s\n", FILENAME, FNR, what; bad = 1 }
    BEGIN {
      count = split(layer_list, names, " ")
      for (i = 1; i <= count; ++i) rank[names[i]] = i
      third_party = "<(spdlog|fmt|yaml-cpp|nlohmann|boost|openssl|CLI|muParser)[/.]"
    }
    FNR == 1 {
      ++files
      split(FILENAME, part, "/")
      public = FILENAME ~ /^include\//
      layer = public ? "" : part[2]
      if (layer !~ /\./ && !public && !(layer in rank)) refuse("src/" layer "/ is not in the list of layers")
    }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
      split($0, quoted, "\"")
      split(quoted[2], part, "/")
      target = part[1]
      if (target == "kiln" || (target == "kiln.h" && part[2] == "") || (!public && target ~ /^kiln_/ && index(" " generated " ", " " target " "))) next
      if (public) refuse("a public header includes \"" quoted[2] "\", which is not installed")
      else if (!(target in rank)) refuse("\"" quoted[2] "\": write the path from src/, beginning with a layer")
      else if (layer in rank && rank[target] > rank[layer])
        refuse("layer " layer " includes \"" quoted[2] "\" of the higher layer " target)
    }
    public && /^[ \t]*#[ \t]*include/ && $0 ~ third_party { refuse("a public header needs a third-party one: " $0) }
    /^[ \t]*#[ \t]*(if|ifdef|ifndef|elif)/ && /CUDA|NVCC|NVRTC|HIP|AMDGCN|ROCM/ {
      if (layer != "device" && layer != "compile") refuse("a condition on a vendor outside src/device and src/compile: " $0)
    }
    /(^|[^a-zA-Z_])(secure_)?getenv[ \t]*\(/ && !/^[ \t]*\/\// {
      if (++getenv_calls > 1) refuse("a second call of getenv; the first is at " getenv_first)
      else getenv_first = FILENAME ":" FNR
    }
    END { if (!bad) printf "%d files in %d layers: none breaks a rule\n", files, count; exit bad }'
