#!/usr/bin/env bash
# one_definition.sh ROOT: no two files define a type of one name in one namespace. Linked into one program, two such
# types break the one-definition rule: the linker keeps one of two inline functions, and nothing warns. Types that only
# one file needs belong in an unnamed namespace. A file of tests/ counts against src/, include/ and its own folder.
# Nor do two files of one folder of src/ give a name in their unnamed namespaces, or one there that a header of the
# folder defines, or a type there whose name a header of any folder has: KILN_UNITY compiles a folder as one file. Equal
# aliases and overloads are no trouble. Nor has an alias of a header the name of a type, or of another alias, of another header.
# Relies on clang-format: a type of a namespace begins in the first column. The texts that the run-time compilers
# include (shim/, portable/) are not part of the program.
set -euo pipefail
cd "${1:?usage: one_definition.sh ROOT}"

# shellcheck disable=SC2016 # awk has its own variables
find src include tests -type f \( -name '*.h' -o -name '*.cpp' \) -not -path '*/shim/*' -not -path '*/portable/*' -print0 |
  sort -z | xargs -0 awk '
    # A name of an unnamed namespace of src/; `same` identifies definitions that may occur twice.
    function own(name, same,    level, key, hidden) {
      if (FILENAME !~ /^src\//) return
      key = FILENAME
      sub(/[^\/]*$/, "", key)
      for (level = 1; level <= depth; ++level) {
        if (space[level] == "unnamed") hidden = 1
        else key = key SUBSEP space[level]
      }
      key = key SUBSEP name
      if (!hidden && FILENAME !~ /\.h$/) return
      if ((key in owner) && owner_file[key] != FILENAME && (hidden || owner_hidden[key]) && (same == "" || same != owner_text[key])) {
        printf "%s:%d: %s is defined at %s, too: a unity build compiles both as one file\n", FILENAME, FNR, name, owner[key]
        bad = 1
      }
      if (key in owner) return
      owner[key] = FILENAME ":" FNR
      owner_file[key] = FILENAME
      owner_hidden[key] = hidden
      owner_text[key] = same
    }
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
      own(type, "")
      hides = 0
      for (level = depth; level > 0; --level) {
        if (space[level] == "unnamed") hides = 1
        else type = space[level] "::" type
      }
      if (hides) {
        if (FILENAME ~ /^src\//) hidden_type[FILENAME ":" FNR] = type
        next
      }
      if (FILENAME ~ /^(src|include)\/.*\.h$/) header_type[type] = FILENAME ":" FNR
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
    depth > 0 && /^using [A-Za-z_0-9]+ =/ {
      own($2, $0)
      if (FILENAME !~ /^(src|include)\/.*\.h$/) next
      alias = $2
      for (level = depth; level > 0; --level) alias = space[level] "::" alias
      if (alias in header_alias && alias_text[alias] != $0) {
        printf "%s:%d: %s is another alias at %s\n", FILENAME, FNR, alias, header_alias[alias]
        bad = 1
      }
      header_alias[alias] = FILENAME ":" FNR
      alias_text[alias] = $0
    }
    depth > 0 && /^[A-Za-z_].*[ *&][A-Za-z_0-9]+\(.*[{,]$/ && !/^(struct|class|union|enum|template|namespace) / {
      name = $0
      sub(/ *\{$/, "", name)
      sub(/^[^(]*[ *&]/, "", name)
      own(name, "")
    }
    depth > 0 && /^(constexpr|const|static|thread_local|std::)[^(]*[ *&][A-Za-z_0-9]+(\[[^]]*\])? ?(=|\{)/ {
      match($0, /^[^(={]*[ *&][A-Za-z_0-9]+(\[[^]]*\])? ?(=|\{)/)
      name = substr($0, 1, RLENGTH)
      sub(/(\[[^]]*\])? ?(=|\{)$/, "", name)
      sub(/.*[ *&]/, "", name)
      own(name, "")
    }
    END {
      for (alias in header_alias) {
        if (!(alias in header_type)) continue
        printf "%s: %s is a type at %s: a file that includes both does not compile\n", header_alias[alias], alias, header_type[alias]
        bad = 1
      }
      for (place in hidden_type) {
        type = hidden_type[place]
        if (!(type in header_type)) continue
        printf "%s: %s is defined at %s, too, which another file of the folder may include: a unity build compiles both as one file\n", place, type, header_type[type]
        bad = 1
      }
      if (!bad) printf "%d types in %d files: each is defined once\n", types, files
      exit bad
    }'
