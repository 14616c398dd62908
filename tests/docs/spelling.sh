#!/usr/bin/env bash
# Usage: spelling.sh ROOT: codespell over documents, sources, jobs and tools. Tests are left out: they misspell names on purpose.
# Skipped without codespell (package codespell).
set -euo pipefail
cd "$1"
command -v codespell > /dev/null || { echo "skipped: codespell is not installed (package codespell)"; exit 77; }
# Names of the code and of formats: "kOwn", a sum of "ket" integrals, "thid" of Hartree-Fock, the COO format, "ans" of a short example.
words=ket,thid,kown,coo,ans,ges,nteger,dne,lod
# A word that must be found: a codespell that finds nothing is no check.
if printf 'recieve\n' | codespell - > /dev/null; then
  echo "codespell does not find 'recieve'"
  exit 1
fi
codespell --ignore-words-list "$words" --skip '*.jsonl,*.json,*.csv,*.gz,*.svg,*.png,__pycache__,build' \
  ./*.md CITATION.cff CMakeLists.txt cmake configs docs examples include kernels_src packaging python/kiln python/README.md schemas src tools
echo "no misspelt word"
