#!/usr/bin/env bash
# Plants types of one name in a tree of its own: one_definition.sh names those that meet in one program, no others.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
check=$here/one_definition.sh
# shellcheck source=tests/architecture/refusals.sh
. "$here/refusals.sh"

make_clean_tree() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree"/src/{base,job}/portable "$tree/include/kiln" "$tree"/tests/{base,job}
  printf 'namespace kiln {\n\nstruct Result {\n  int value;\n};\n\nclass Device;\n\n}  // namespace kiln\n' > "$tree/src/base/text.h"
  printf 'namespace kiln {\nnamespace {\n\nstruct Outcome {};\n\n}  // namespace\n}  // namespace kiln\n' > "$tree/src/job/job.cpp"
  printf 'namespace kiln::detail {\n\nenum class Result { yes, no };\n\n}  // namespace kiln::detail\n' > "$tree/src/job/job.h"
  printf 'struct Result {};\n' > "$tree/src/job/portable/portable.h"
  printf 'namespace kiln {\n\nclass Device final : public Object {\n};\n\nstruct Device::Part {\n};\n\n}  // namespace kiln\n' > "$tree/include/kiln/device.h"
  printf 'namespace kiln {\n\nstruct Counted {};\n\n}  // namespace kiln\n' > "$tree/tests/base/text_test.cpp"
  cp "$tree/tests/base/text_test.cpp" "$tree/tests/job/job_test.cpp"  # another program
}

# refuses NAME FILE TEXT EXPECTED: writes TEXT to FILE of a clean tree and looks for EXPECTED in the complaint.
refuses() {
  make_clean_tree
  printf '%b' "$3" > "$tree/$2"
  is_refused "$1" "$4"
}

make_clean_tree
passes
refuses "one name in two layers" src/job/two.cpp 'namespace kiln {\n\nstruct Result {};\n\n}  // namespace kiln\n' \
        'src/job/two.cpp:3: kiln::Result is defined at src/base/text.h:3, too'
refuses "a class where a struct was" src/job/two.cpp 'namespace kiln {\n\nclass Result\n    : public Other {};\n\n}  // namespace kiln\n' 'kiln::Result'
refuses "a name of a header of another folder in an unnamed namespace" src/job/two.cpp \
        'namespace kiln {\nnamespace {\n\nstruct Result {};\n\n}  // namespace\n}  // namespace kiln\n' 'kiln::Result is defined at src/base/text.h:3'
refuses "one name after an unnamed namespace ended" src/job/two.cpp \
        'namespace kiln {\nnamespace {\n\nstruct Own {};\n\n}  // namespace\n\nstruct Result {};\n\n}  // namespace kiln\n' 'two.cpp:8: kiln::Result'
refuses "one name in a nested namespace" src/job/two.cpp 'namespace kiln::detail {\nenum class Result : int { a };\n}  // namespace kiln::detail\n' \
        'kiln::detail::Result is defined at src/job/job.h:3'
refuses "a public type again" src/job/two.cpp 'namespace kiln {\nclass Device {\n};\n}  // namespace kiln\n' 'kiln::Device is defined at include/kiln/device.h:3'
refuses "a nested type defined twice" src/job/two.cpp 'namespace kiln {\nstruct Device::Part {\n};\n}  // namespace kiln\n' 'kiln::Device::Part'
refuses "a test against the product" tests/base/two.cpp 'namespace kiln {\nstruct Result {};\n}  // namespace kiln\n' 'src/base/text.h:3'
refuses "one constant in two unnamed namespaces of a folder" src/job/two.cpp \
        'namespace kiln {\nnamespace {\n\nstruct Outcome {};\n\n}  // namespace\n}  // namespace kiln\n' \
        'src/job/two.cpp:4: Outcome is defined at src/job/job.cpp:4, too: a unity build'
refuses "a hidden name that a header of the folder defines" src/base/two.cpp \
        'namespace kiln {\nnamespace {\n\nclass Result {\n};\n\n}  // namespace\n}  // namespace kiln\n' 'src/base/text.h:3, too: a unity build'
unity_pair() {
  make_clean_tree
  printf 'namespace kiln {\nnamespace {\n\n%b\n\n}  // namespace\n}  // namespace kiln\n' "$1" > "$tree/src/job/one.cpp"
  printf 'namespace kiln {\nnamespace {\n\n%b\n\n}  // namespace\n}  // namespace kiln\n' "$2" > "$tree/src/job/two.cpp"
}
unity_pair 'constexpr int kMost = 1;' 'const std::array<int, 2> kMost = {1, 2};'
is_refused "constants of one name" 'kMost is defined at src/job/one.cpp:4, too'
unity_pair 'bool among(int a, int b) {\n}' 'bool among(int a, int b) {\n}'
is_refused "functions with the same parameters" 'among(int a, int b) is defined at'
unity_pair 'using Path = std::string;' 'using Path = std::filesystem::path;'
is_refused "aliases that differ" 'Path is defined at'
unity_pair 'using Path = std::string;\nbool among(int a, int b) {\n}' 'using Path = std::string;\nbool among(int a, char b) {\n}'
passes
refuses "an alias of a header with the name of a type of another one" src/job/two.h 'namespace kiln {\nusing Result = int;\n}  // namespace kiln\n' \
        'src/job/two.h:2: kiln::Result is a type at src/base/text.h:3'
make_clean_tree
printf 'namespace kiln {\nusing Path = std::string;\n}  // namespace kiln\n' | tee "$tree/src/job/one.h" > "$tree/src/base/one.h"
passes
printf 'namespace kiln {\nusing Path = int;\n}  // namespace kiln\n' > "$tree/src/job/one.h"
is_refused "aliases of two headers that differ" 'src/job/one.h:2: kiln::Path is another alias at src/base/one.h:2'
refuses "two files of one test program" tests/base/two.cpp 'namespace kiln {\nstruct Counted {};\n}  // namespace kiln\n' 'text_test.cpp:3'
