#!/usr/bin/env bash
# Usage: consumer.sh SOURCE BUILD CMAKE CXX GENERATOR: installs into an empty prefix, builds examples/embedding against it with
# find_package(kiln), and runs the examples; builds the C example twice more by pkg-config.
set -euo pipefail
source=$1 build=$2 cmake=$3 cxx=$4 generator=$5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$cmake" --install "$build" --prefix "$folder/prefix" > /dev/null
cp -r "$source/examples/embedding" "$folder/example"
"$cmake" -G "$generator" -S "$folder/example" -B "$folder/build" -D CMAKE_PREFIX_PATH="$folder/prefix" -D CMAKE_CXX_COMPILER="$cxx" \
  -D CMAKE_BUILD_TYPE=Release
"$cmake" --build "$folder/build"
export XDG_CACHE_HOME=$folder/cache KILN_CACHE_DIR=$folder/not-read
cd "$folder/build"
echo 'no_such_setting: 1' > kiln.yaml  # a file of the current folder's owner, which a program does not read
for program in ./*; do
  if [ -f "$program" ] && [ -x "$program" ]; then
    echo "== $program"
    "$program"
    ran=yes
  fi
done
if command -v pkg-config > /dev/null; then
  export PKG_CONFIG_PATH=$folder/prefix/lib/pkgconfig
  # shellcheck disable=SC2046 # options
  cc -std=c99 -pedantic-errors "$folder/example/axpy.c" -o "$folder/axpy_by_pkg_config" $(pkg-config --cflags --libs kiln) \
    "-Wl,-rpath,$(pkg-config --variable=libdir kiln)"
  "$folder/axpy_by_pkg_config" | grep 'y = 2.5'
  # shellcheck disable=SC2046,SC2001 # options
  cc -std=c99 "$folder/example/axpy.c" -o "$folder/axpy_with_archive" $(pkg-config --cflags kiln) "$folder/prefix/lib/libkiln.a" \
    $(pkg-config --static --libs kiln | sed 's/-lkiln //')
  "$folder/axpy_with_archive" | grep 'y = 2.5'
  if ldd "$folder/axpy_with_archive" | grep libkiln; then echo "FAILED: linked with the shared library"; exit 1; fi
fi
[ -d "$folder/cache/kiln-heat/kiln/v1" ] || { echo "FAILED: no cache of the program's own"; exit 1; }
[ ! -e "$KILN_CACHE_DIR" ] || { echo "FAILED: a variable was read"; exit 1; }
[ "${ran:-}" = yes ] || { echo "FAILED: the example built no program"; exit 1; }
