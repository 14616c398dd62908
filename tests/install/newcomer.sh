#!/usr/bin/env bash
# Usage: newcomer.sh SOURCE BUILD CMAKE CXX GENERATOR: tests a program that is written against an installed Kiln without Kiln's own
# packages, and that is started in another user's folder. newcomer.cpp is the program.
set -euo pipefail
source=$1 build=$2 cmake=$3 cxx=$4 generator=$5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
"$cmake" --install "$build" --prefix "$folder/prefix" > /dev/null
mkdir "$folder/project"
cp "$source/tests/install/newcomer.cpp" "$folder/project"
cat > "$folder/project/CMakeLists.txt" << 'END'
cmake_minimum_required(VERSION 3.22)
project(newcomer LANGUAGES CXX)
find_package(kiln REQUIRED COMPONENTS ${COMPONENT})
add_executable(newcomer newcomer.cpp)
target_link_libraries(newcomer PRIVATE kiln::${COMPONENT})
END
hidden=()
for package in spdlog fmt OpenSSL ZLIB Boost CLI11 nlohmann_json; do hidden+=(-D "CMAKE_DISABLE_FIND_PACKAGE_$package=ON"); done
configure() {
  "$cmake" -G "$generator" -S "$folder/project" -B "$folder/build-$1" -D COMPONENT="$1" -D CMAKE_PREFIX_PATH="$folder/prefix" \
    -D CMAKE_CXX_COMPILER="$cxx" "${hidden[@]}" > "$folder/configure" 2>&1
}

# The static library needs the packages that it was linked with, and says which; the shared one needs none.
if configure static; then fail "libkiln.a was found without the packages that it needs"; fi
tr '\n' ' ' < "$folder/configure" | tr -s ' ' > "$folder/message"
for package in libspdlog-dev libfmt-dev libssl-dev zlib1g-dev libboost-context-dev; do
  grep -q "apt-get install .*$package" "$folder/message" || fail "$package is not named: $(cat "$folder/configure")"
done
grep -q 'find_package(kiln COMPONENTS shared)' "$folder/message" || fail "the shared library is not offered"
configure shared || fail "the shared library needs other packages: $(cat "$folder/configure")"
"$cmake" --build "$folder/build-shared" > /dev/null

# Arguments of other types than the function's do not compile.
check_syntax() { "$cxx" -std=c++20 -fsyntax-only -I "$folder/prefix/include" "$folder/project/newcomer.cpp" "$@" > "$folder/log" 2>&1; }
check_syntax -D RIGHT || fail "$(cat "$folder/log")"
for mistake in WRONG_POINTER WRONG_CONST WRONG_COUNT WRONG_SCALAR; do
  if check_syntax -D $mistake; then fail "$mistake compiles"; fi
done

# The worker of this installation, and none that lies elsewhere, is the one that compiles.
worker=$folder/prefix/libexec/kiln/kiln-worker
mv "$worker" "$worker.real"
printf '#!/bin/sh\ntouch "%s/worked"\nexec "%s.real" "$@"\n' "$folder" "$worker" > "$worker"
chmod +x "$worker"

# In a folder whose owner has settings of their own, with variables for Kiln's users.
mkdir "$folder/somewhere"
cd "$folder/somewhere"
printf '#!/bin/sh\ntouch "%s/ran"\nexit 1\n' "$folder" > fake-c++
chmod +x fake-c++
printf 'cpu_compiler: ./fake-c++\nno_such_setting: 1\n' > kiln.yaml
export XDG_CACHE_HOME=$folder/cache XDG_CONFIG_HOME=$folder/config KILN_CPU_COMPILER=$PWD/fake-c++ KILN_CACHE_DIR=$folder/not-read \
  KILN_WORKLOAD_PATH=/nonexistent KILN_SETTINGS=$PWD/kiln.yaml
"$folder/build-shared/newcomer"
[ -e "$folder/worked" ] || fail "the installation's kiln-worker was not started"
[ ! -e "$folder/ran" ] || fail "the folder's kiln.yaml, or a variable, chose the compiler"
[ ! -e "$KILN_CACHE_DIR" ] || fail "KILN_CACHE_DIR was read"
[ -d "$folder/cache/newcomer/kiln" ] || fail "no cache of the program's own"
