#!/usr/bin/env bash
# Usage: relocated.sh SOURCE BUILD CMAKE CXX GENERATOR: an installation that is moved still finds its workloads and jobs, and keeps
# compiled kernels in the user's own folder.
set -euo pipefail
build=$2 cmake=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$cmake" --install "$build" --prefix "$folder/first" > /dev/null
mv "$folder/first" "$folder/moved"
export XDG_CACHE_HOME=$folder/cache XDG_DATA_HOME=$folder/data
unset KILN_CACHE_DIR KILN_WORKLOAD_PATH KILN_WISDOM_DIR KILN_SETTINGS
mkdir "$folder/empty"
cd "$folder/empty"
kiln=$folder/moved/bin/kiln
"$kiln" --version
"$kiln" workloads | tee "$folder/workloads"
for name in stencil7 babelstream minibude hartree_fock; do
  grep -q "$name" "$folder/workloads" || { echo "FAILED: the workload $name was not found"; exit 1; }
done
"$kiln" wisdom list stencil7 | grep "NVIDIA H200" > /dev/null || { echo "FAILED: the wisdom that is shipped was not found"; exit 1; }
"$kiln" validate "$folder"/moved/share/kiln/configs/*.yaml
for shell in bash-completion/completions/kiln zsh/site-functions/_kiln fish/vendor_completions.d/kiln.fish; do
  [ -s "$folder/moved/share/$shell" ] || { echo "FAILED: no completion $shell"; exit 1; }
done
[ -z "$(ls -A .)" ] || { echo "FAILED: something was written into the working folder"; exit 1; }
