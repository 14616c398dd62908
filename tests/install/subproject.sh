#!/usr/bin/env bash
# Usage: subproject.sh SOURCE BUILD CMAKE CXX GENERATOR: inside another project (add_subdirectory, as FetchContent does) Kiln gives
# kiln::kiln, adds no test, no install rule and no build type of its own.
set -euo pipefail
source=$1 cmake=$3 cxx=$4 generator=$5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/CMakeLists.txt" << END
cmake_minimum_required(VERSION 3.22)
project(outer LANGUAGES CXX)
enable_testing()
add_subdirectory("$source" kiln EXCLUDE_FROM_ALL)
add_executable(outer main.cpp)
target_link_libraries(outer PRIVATE kiln::kiln)
END
printf '#include <kiln/error.h>\nint main() { return kiln::bad_input("x").kind() == kiln::ErrorKind::kBadInput ? 0 : 1; }\n' \
  > "$folder/main.cpp"
"$cmake" -G "$generator" -S "$folder" -B "$folder/build" -D CMAKE_CXX_COMPILER="$cxx"
grep -q 'CMAKE_BUILD_TYPE:STRING=$' "$folder/build/CMakeCache.txt" || { echo "FAILED: a build type was forced"; exit 1; }
if grep -q add_test "$folder/build/kiln/CTestTestfile.cmake" "$folder"/build/kiln/*/CTestTestfile.cmake 2> /dev/null; then
  echo "FAILED: Kiln's tests were added"; exit 1
fi
# Who builds the library alone does not need the library of the command line.
"$cmake" -G "$generator" -S "$folder" -B "$folder/without" -D CMAKE_CXX_COMPILER="$cxx" -D CMAKE_DISABLE_FIND_PACKAGE_CLI11=ON
"$cmake" --build "$folder/without" --target help | grep kiln_library > /dev/null
# Compiling all of Kiln once more would take minutes and show nothing new: the compile line of the user's file is enough.
"$cmake" --build "$folder/build" --target help | grep kiln_library > /dev/null
"$cxx" -std=c++20 -fsyntax-only -I "$source/include" "$folder/main.cpp"
