#include "specialize/failed_host_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kiln {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Specialization program(const std::string& text, const std::string& header) {
  Specialization spec;
  spec.source_name = "program.cu";
  spec.source_text = text;
  spec.headers.push_back({"host.h", "/project/include/host.h", header});
  spec.left_out = {"program.cu: main"};
  return spec;
}

/// What is left of the header, whose line of "@" the compiler complains of.
std::string without_failed(const std::string& header, std::vector<std::string>& names) {
  Specialization spec = program("__global__ void k(float* a) { a[0] = 1; }\n", header);
  const auto marked = static_cast<std::ptrdiff_t>(header.find('@'));
  const auto line = 1 + std::count(header.begin(), header.begin() + marked, '\n');
  names = leave_out_failed_host_code(spec, {{"host.h", static_cast<int>(line)}});
  EXPECT_EQ(std::count(spec.headers[0].text.begin(), spec.headers[0].text.end(), '\n'),
            std::count(header.begin(), header.end(), '\n'));
  return spec.headers[0].text;
}

TEST(FailedHostCode, LeavesOutTheDeclarationAroundAnError) {
  const struct {
    const char* header;
    const char* name;
    const char* left;  ///< in the text
  } cases[] = {
      {"struct Config {\n  int n;\n  FILE* log /*@*/;\n};\nstruct Point { float x; };\n", "Config",
       "struct Config;\n\n\n\nstruct Point"},
      {"typedef struct {\n  FILE* log /*@*/;\n} Config;\nint n;\n", "Config", "\n\n\nint n;"},
      {"inline void load(Image& /*@*/);\ninline void load(int n) {}\nint n;\n", "load",
       "\ninline void load(int n) {}\nint n;"},
      {"using std::swap;\ninline void swap(File& a, File& b) { a.swap(b) /*@*/; }\nint n;\n", "swap",
       "using std::swap;\n\nint n;"},
      {"const Format kWide = format(8) /*@*/;\nint n;\n", "kWide", "\nint n;"},
      {"using Handle = Library /*@*/*;\nint n;\n", "Handle", "\nint n;"},
      {"template <class T> struct Type { static const Format f = 1; };\n"
       "template <> struct Type<double> {\n  static const Format f = 2 /*@*/;\n};\nint n;\n",
       "Type", "template<class T>struct Type;\n\n\n\nint n;"},
      {"class Grid {\n  __device__ float at(int i);\n  void save(std::ofstream& /*@*/);\n  float* "
       "data;\n};\n",
       "Grid::save", "class Grid {\n  __device__ float at(int i);\n  \n  float* data;\n};"},
      {"class Modes {\n  __device__ float at(int i);\n  friend\n  void copy<float>(const Host<float>& "
       "/*@*/);\n"
       "  float* data;\n};\n",
       "a friend", "class Modes {\n  __device__ float at(int i);\n  \n\n  float* data;\n};"},
      {"template class Solver<float> /*@*/;\nint n;\n", "Solver", "\nint n;"},
      {"#define USE(name, type) type name = (type)address(#name)\nnamespace gl {\nUSE(bind, Bind "
       "/*@*/);\nint n;\n}\n",
       "USE", "namespace gl {\n\nint n;\n}"},
      {"#define EXPORT(SIDE, TYPE) namespace SIDE { TYPE TYPE##_entry{#SIDE}; }\nEXPORT(CUDA, Step "
       "/*@*/);\nint "
       "n;\n",
       "a declaration", "TYPE##_entry{#SIDE}; }\n\nint n;"},
      {"struct Span { __device__ int* begin(); };\ntemplate <class T> class Array;\n"
       "template <class T>\nlist<T> Array<T>::begin() { return data /*@*/; }\nint n;\n",
       "begin", "template <class T> class Array;\n\n\nint n;"},
      {"template <class F> void run(F f);\ninline void scan(int n) {\n  run([=] __device__(int i) { return "
       "i; });\n"
       "  n.stream /*@*/;\n}\nint n;\n",
       "scan", "void run(F f);\n\n\n\n\nint n;"},
      {"class Logger;\nstatic_assert(std::is_final<Logger>::value /*@*/, \"\");\nint n;\n", "a declaration",
       "class Logger;\n\nint n;"},
  };
  for (const auto& one : cases) {
    std::vector<std::string> names;
    EXPECT_THAT(without_failed(one.header, names), HasSubstr(one.left)) << one.header;
    EXPECT_THAT(names, ElementsAre(one.name)) << one.header;
  }
}

TEST(FailedHostCode, LeavesCodeForTheDeviceAlone) {
  for (const char* header :
       {"__device__ float f(float x) {\n  return y /*@*/;\n}\n", "__constant__ Format format /*@*/;\n",
        // Without this overload, g(double) would mean another function.
        "inline int g(double x) { return y /*@*/; }\n__device__ int g(int x) { return x; }\n",
        "struct Point {\n  Format f /*@*/;\n  __device__ float x();\n};\n",
        "struct Point {\n  Point(int n) { y /*@*/; }\n  __device__ float x();\n};\n",
        "struct Point {\n  virtual void save() { y /*@*/; }\n  __device__ float x();\n};\n",
        "struct Point { Format f /*@*/; };\ntemplate <> struct Point<int> { __device__ float x(); };\n",
        "static_assert(sizeof(Format) == 4 /*@*/);\n",
        "class Logger { int n; };\nstatic_assert(sizeof(Logger) == 8 /*@*/);\n",
        "#define EXPORT(SIDE, TYPE) __device__ TYPE TYPE##_entry;\nEXPORT(CUDA, Step /*@*/);\n"}) {
    std::vector<std::string> names;
    EXPECT_EQ(without_failed(header, names), header);
    EXPECT_THAT(names, IsEmpty()) << header;
  }
}

TEST(FailedHostCode, AFileIsFoundByItsPathToo) {
  Specialization spec = program("__global__ void k() {}\n", "struct A { FILE* log; };\n");
  EXPECT_THAT(leave_out_failed_host_code(spec, {{"/project/src/../include/host.h", 1}}), ElementsAre("A"));
  EXPECT_THAT(spec.headers[0].text, HasSubstr("struct A;"));
}

TEST(FailedHostCode, ErrorsOfATextWithoutHostCodeStay) {
  const std::string text = "int f(int x) { return y; }\n__global__ void k() {}\n";
  Specialization spec = program(text, "struct A { FILE* log; };\nint g(int x) { return y; }\n");
  spec.left_out.clear();
  EXPECT_THAT(leave_out_failed_host_code(spec, {{"program.cu", 1}, {"host.h", 2}}), IsEmpty());
  EXPECT_EQ(spec.source_text, text);
  EXPECT_THAT(leave_out_failed_host_code(spec, {{"host.h", 1}}), ElementsAre("A"));
  Specialization typed =
      program(text, "typedef struct { FILE* log; } Config;\nvoid print(const Config* c);\n");
  typed.left_out.clear();
  EXPECT_THAT(leave_out_failed_host_code(typed, {{"host.h", 1}, {"host.h", 2}}),
              ElementsAre("Config", "print"));
}

}  // namespace
}  // namespace kiln
