#!/usr/bin/env bash
# one_definition.sh ROOT: no two files define a type of one name in one namespace. Linked into one program, two such
# types break the one-definition rule: the linker keeps one of two inline functions, and nothing warns. Types that only
# one file needs belong in an unnamed namespace. A file of tests/ counts against src/, include/ and its own folder.
# Relies on clang-format: a type of a namespace begins in the first column. The texts that the run-time compilers
# include (shim/, portable/) are not part of the program.
set -euo pipefail
cd "${1:?usage: one_definition.sh ROOT}"

# shellcheck disable=SC2016 # awk has its own variables
find src include tests -type f \( -name '*.h' -o -name '*.cpp' \) -not -path '*/shim/*' -not -path '*/portable/*' -print0 |
  sort -z | xargs -0 awk '
    FNR == 1 {
      ++files
      depth = 0
      folder = FILENAME
      sub(/[^\/]*$/, "", folder)
      if (folder !~ /^tests\//) folder = "the product"
    }
    /^namespace( [a-zA-Z_:0-9]+)? \{/ {
      if ($0 ~ /\}$/) next
      name = $2 == "{" ? "unnamed" : $2
      space[++depth] = name
      next
    }
    /^\}  \/\/ namespace/ && depth > 0 { --depth; next }
    /^(struct|class|union|enum|enum class) (alignas\([^)]*\) )?[A-Za-z_][A-Za-z_0-9:]*([ {:]|$)/ && (/\{/ || !/;$/) {
      line = $0
      sub(/^(struct|class|union|enum class|enum) (alignas\([^)]*\) )?/, "", line)
      match(line, /^[A-Za-z_][A-Za-z_0-9:]*/)
      type = substr(line, 1, RLENGTH)
      sub(/:$/, "", type)
      for (level = depth; level > 0; --level) {
        if (space[level] == "unnamed") next
        type = space[level] "::" type
      }
      ++types
      place = FILENAME ":" FNR
      count = split("the product," folder, where, ",")
      for (i = 1; i <= count; ++i)
        if ((where[i], type) in first && !(place in told)) {
          printf "%s: %s is defined at %s, too\n", place, type, first[where[i], type]
          told[place] = bad = 1
        }
      if (!((folder, type) in first)) first[folder, type] = place
    }
    END { if (!bad) printf "%d types in %d files: each is defined once\n", types, files; exit bad }'
