#!/usr/bin/env bash
# Usage: site.sh ROOT KILN OUTPUT: tools/site.py builds the site of the documents without a warning, every link and anchor leads
# somewhere, and a link that does not is refused. Skipped without MkDocs and its theme.
set -euo pipefail
root=$(realpath "${1:?usage: site.sh ROOT KILN OUTPUT}")
kiln=$(realpath "${2:?usage: site.sh ROOT KILN OUTPUT}")
output=${3:?usage: site.sh ROOT KILN OUTPUT}
fail() { echo "FAILED: $*"; exit 1; }
# The python3 of PATH, or Debian's where another one hides it.
python=""
for candidate in python3 /usr/bin/python3; do
  if "$candidate" -c 'import pymdownx; from mkdocs.utils import get_theme_names; assert "material" in get_theme_names()' 2> /dev/null; then python=$candidate; break; fi
done
[ -n "$python" ] || { echo "skipped: MkDocs or its theme is not installed (packages mkdocs and mkdocs-material)"; exit 77; }

doxygen=()
if command -v doxygen > /dev/null; then
  "$root/tests/docs/doxygen.sh" "$root" "$output/doxygen" > /dev/null || fail "doxygen.sh"
  doxygen=(--doxygen "$output/doxygen/html")
fi
"$python" "$root/tools/site.py" "$output/site" --kiln "$kiln" "${doxygen[@]}" || fail "the site"
html=$output/site/html
# Of each part something that only it has.
grep -q 'kiln cache explain' "$html/reference/cli.html" || fail "the command line is not there"
grep -q 'class Service' "$html/reference/python.html" || fail "the docstrings are not there"
grep -q 'workload.schema.json' "$html/reference/schemas.html" || fail "the schemas are not there"
grep -q 'data-md-color-scheme="slate"' "$html/index.html" || fail "no dark colours"
grep -q 'Your own kernel' "$html/search/search_index.json" || fail "the search does not know the tutorials"
[ ${#doxygen[@]} = 0 ] || [ -s "$html/reference/doxygen/index.html" ] || fail "Doxygen's pages are not there"
if grep -rhoE '<(script|link|img)[^>]*(src|href)="https?://[^"]*"' --include=*.html --exclude-dir=doxygen "$html"; then
  fail "a page loads something from another server"
fi

# A copy of the documents with a link to no file, and one to no heading.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/tree"
# Where the tree is a checkout, a build folder in it is not copied.
tar -C "$root" --exclude=./build --exclude=./.git -cf - . | tar -C "$folder/tree" -xf -
printf '\n[here](no_such_page.md)\n' >> "$folder/tree/docs/batch.md"
if "$python" "$root/tools/site.py" "$folder/site" --root "$folder/tree" --kiln "$kiln" > "$folder/said"; then fail "a link to no page is taken"; fi
grep -q 'no_such_page.md' "$folder/said" || fail "the link is not named: $(cat "$folder/said")"
cp "$root/docs/batch.md" "$folder/tree/docs/"
printf '\n[here](tuning.md#no-such-heading)\n' >> "$folder/tree/docs/batch.md"
if "$python" "$root/tools/site.py" "$folder/site" --root "$folder/tree" --kiln "$kiln" > "$folder/said"; then fail "a link to no heading is taken"; fi
grep -q 'no-such-heading' "$folder/said" || fail "the heading is not named: $(cat "$folder/said")"
