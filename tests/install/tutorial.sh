#!/usr/bin/env bash
# Usage: tutorial.sh SOURCE BUILD CMAKE CXX GENERATOR: what docs/tutorials/embed_cpp.md shows, with an installed Kiln.
set -euo pipefail
source=$1 build=$2 cmake=$3 cxx=$4 generator=$5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$cmake" --install "$build" --prefix "$folder/prefix" > /dev/null
PATH=$(dirname "$cmake"):$PATH CXX=$cxx CMAKE_GENERATOR=$generator CMAKE_PREFIX_PATH=$folder/prefix \
  "$source/tests/docs/walk_through.sh" "$source/docs/tutorials/embed_cpp.md" "$folder/prefix/bin/kiln"
