#!/usr/bin/env bash
# Usage: documents.sh ROOT: links between our documents lead somewhere, the change log and the citation have their form,
# nothing is left to be filled in, and no binary file is kept but what tests read.
set -euo pipefail
cd "${1:?usage: documents.sh ROOT}"
bad=0
refuse() { echo "$*"; bad=1; }

shopt -s nullglob
documents=(./*.md docs/*.md docs/*/*.md examples/*/*.md examples/*/*/*.md jit_cache/README.md)
# links_of DOCUMENT: the targets of its links, outside of code.
links_of() {
  # shellcheck disable=SC2016 # backquotes, not a command
  sed 's/`[^`]*`//g' "$1" | grep -o '](\([^) ]*\))' | sed 's/^](//; s/)$//'
}
for document in "${documents[@]}"; do
  while IFS= read -r link; do
    target=${link%%#*}
    case $target in '' | http://* | https://* | mailto:*) continue ;; esac
    [ -e "$(dirname "$document")/$target" ] || refuse "$document: the link to $link leads nowhere"
  done < <(links_of "$document")
done
for word in TODO TBD FIXME XXX lorem; do
  if grep -nw "$word" "${documents[@]}"; then refuse "$word: finish it or leave it out"; fi
done

# Of what git has or is about to have; an unpacked archive has no list of it.
if git rev-parse --git-dir > /dev/null 2>&1; then
  nothing=$(git hash-object -t tree /dev/null)
  while read -r _ _ file; do
    refuse "$file: a binary file; what others made is fetched when it is needed, not kept"
  done < <(git diff --cached --numstat "$nothing" -- . ':!tests' | grep '^-' || true)
fi

version=$(sed -n 's/^project(kiln VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
grep -q "^## \[$version\]" CHANGELOG.md || refuse "CHANGELOG.md: no section [$version]"
grep -qx "version: $version" CITATION.cff || refuse "CITATION.cff: the version is not that of CMakeLists.txt, $version"
for key in cff-version message title authors license; do
  grep -q "^$key:" CITATION.cff || refuse "CITATION.cff: no $key"
done
grep -q 'Apache License' LICENSE || refuse "LICENSE: not the Apache License"
[ "$bad" = 0 ] && echo "${#documents[@]} documents are in order"
exit "$bad"
