#include "specialize/macro_expander.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "specialize/launch_macros.h"
#include "specialize/written_macros.h"

namespace kiln {
namespace {

/// The words that `use` becomes with the macros of `text`, with a blank between; "-" where it stays.
std::string expanded(const std::string& text, const std::string& use) {
  MacroExpander expander;
  for (const Directive& directive : tokenize(text).directives) {
    if (const auto macro = macro_of(directive)) expander.learn(directive.tokens[1].text, *macro);
  }
  const auto expansion = expander.expanded(macro_words(tokenize(use).tokens));
  if (!expansion) return "-";
  std::string result;
  for (const std::string& word : expansion->words) result += (result.empty() ? "" : " ") + word;
  return result;
}

TEST(MacroExpander, ReplacesUsesAsThePreprocessorDoes) {
  const struct {
    const char *macros, *use, *expected;
  } cases[] = {
      {"#define N 4\n#define AREA N * N\n", "AREA + 1", "4 * 4 + 1"},
      {"#define F(a, b) b - a\n", "F(1, (2, 3))", "( 2 , 3 ) - 1"},
      {"#define F(a) a + 1\n", "F * F(2)", "F * 2 + 1"},
      {"#define F() 7\n", "F()", "7"},
      {"#define F() 7\n", "F(1)", "-"},
      {"#define F(a, b) a\n", "F(1)", "-"},
      {"#define F(a) a\n", "F(1", "-"},
      {"#define J2(a, b) a##_##b\n#define J(a, b) J2(a, b)\n#define K plain\n", "J(x, K) J2(x, K)",
       "x_plain x_K"},
      {"#define F(a, ...) a(__VA_ARGS__)\n", "F(g, 1, 2) F(h, 3) F(k)", "g ( 1 , 2 ) h ( 3 ) k ( )"},
      {"#define F(a, rest...) a(rest)\n", "F(g, 1, 2)", "g ( 1 , 2 )"},
      {"#define F(a, ...) g(a, ##__VA_ARGS__)\n", "F(1) F(1, 2, 3)", "g ( 1 ) g ( 1 , 2 , 3 )"},
      {"#define S(x) #x\n", "S(a + \"b\")", "\"a+\\\"b\\\"\""},
      {"#define f(x) f(x + 1)\n", "f(2)", "f ( 2 + 1 )"},
      {"#define A B\n#define B A\n", "A", "A"},
      {"#ifdef X\n#define F(a) a\n#else\n#define F(a) -a\n#endif\n", "F(1)", "-"},
      {"#define A A2 A2\n#define A2 A3 A3\n#define A3 A4 A4\n#define A4 A5 A5\n#define A5 A6 A6\n"
       "#define A6 A7 A7\n#define A7 x x\n",
       "A A A A", "-"},
  };
  for (const auto& one : cases)
    EXPECT_EQ(expanded(one.macros, one.use), one.expected) << one.macros << one.use;
}

TEST(MacroExpander, WritesOutLaunchesAndTypesAndKeepsLines) {
  const std::string macros =
      "#define CALL(k, ...) k<<<1, 32>>>(__VA_ARGS__)\n#define RUN(k) CALL(k##_main, x)\n"
      "#define TYPE(t) typedef t t##_type;\n#define TWICE(a) a + a\n#define STOP() k<<<1, 1>>>()\n";
  const std::string text =
      macros + "RUN(fill);\nCALL(sum,\n unsigned int(- -a), b);\nTYPE(int)\nTWICE(b) STOP()\n";
  EXPECT_EQ(expand_launch_macros(text, launch_macros({&text})),
            macros +
                "fill_main<<<1,32>>>(x);\nsum<<<1,32>>>(unsigned int(- -a),b)\n;\ntypedef int int_type;\n"
                "TWICE(b) k<<<1,1>>>()\n");
}

TEST(MacroExpander, WritesOutTemplatesThatAMacroOfAHeaderCalls) {
  const std::string header =
      "#define SWITCH(type, f, ...) if (type == 0) f<char, std::size_t>(__VA_ARGS__); else f<int*, 4>(1)\n"
      "#define LESS(a, b) a < b && b > (a)\n";
  const std::string text = "SWITCH(t, pack, x, n);\nLESS(x, y);\n";
  EXPECT_EQ(expand_launch_macros(text, launch_macros({&header, &text})),
            "if(t==0)pack<char,std::size_t>(x,n);else pack<int*,4>(1);\nLESS(x, y);\n");
}

TEST(MacroExpander, DeclaresConstantsOfMacros) {
  const std::string header =
      "#define SWITCH(VALUE, NAME, ...) [&] { \\\n"
      "  if (VALUE == 2) { constexpr static int NAME = 2; return __VA_ARGS__(); } \\\n"
      "  constexpr int NAME = 1; return __VA_ARGS__(); }()\n"
      "#define OTHER(x, n) const int other = n;\n";
  const std::string text =
      "void f(int n) {\n  return SWITCH(n, N, [&] { SWITCH(n, M, [&] { g<N, M>(); }); });\n  OTHER(a, "
      "3)\n}\n";
  EXPECT_EQ(
      declare_constants_of_macros(text, constants_of_macros({&header})),
      "void f(int n) {\n  const int N = 2; return SWITCH(n, N, [&] { const int M = 2; SWITCH(n, M, [&] { "
      "g<N, M>(); }); });\n  OTHER(a, 3)\n}\n");
  EXPECT_EQ(declare_constants_of_macros(text, constants_of_macros({&text})), text);
}

TEST(MacroExpander, DeclaresConstantsThatMacrosNameThemselves) {
  const std::string header =
      "#define SIZES(n, ...) [&] { \\\n"
      "  if (n <= 32) { constexpr static int kSize = 32; return __VA_ARGS__(); } \\\n"
      "  else { constexpr static int kSize = 64; return __VA_ARGS__(); } }()\n"
      "#define TYPES(n, NAME, ...) if (n) { using NAME = half; using other_t = float; return __VA_ARGS__(); "
      "}\n"
      "#define LIBRARY(n, ...) { using elem_t = lib::half_t; constexpr int kTwice = 2 * n; __VA_ARGS__(); }\n"
      "#define PLAIN(...) { const int i = 0; } __VA_ARGS__();\n";
  const std::string text =
      "void f(int n) {\n  SIZES(n, [&] { TYPES(n, T, [&] { g<T, other_t, kSize>(); }); });\n"
      "  LIBRARY(n, [&] { h(); });\n  PLAIN([] { h(); });\n}\n";
  EXPECT_EQ(declare_constants_of_macros(text, constants_of_macros({&header})),
            "void f(int n) {\n  const int kSize = 32; SIZES(n, [&] { using T = half; using other_t = float; "
            "TYPES(n, T, [&] { g<T, other_t, kSize>(); }); });\n"
            "  LIBRARY(n, [&] { h(); });\n  PLAIN([] { h(); });\n}\n");
}

TEST(MacroExpander, WritesOutNamesThatArePasted) {
  std::string text = "#define NAME(x) x##KIND\n#define OTHER(x) x\nvoid NAME(fill)(), OTHER(sum)();\n";
  write_out_macros({&text}, {{"KIND", "_v2"}});
  EXPECT_EQ(text, "#define NAME(x) x##KIND\n#define OTHER(x) x\nvoid fillKIND(), OTHER(sum)();\n");
  std::string nested = "#define JOIN(a, b) a##b\n#define NAME(x) JOIN(x, KIND)\nvoid NAME(fill)();\n";
  write_out_macros({&nested}, {{"KIND", "_v2"}});
  EXPECT_EQ(nested, "#define JOIN(a, b) a##b\n#define NAME(x) JOIN(x, KIND)\nvoid fillKIND();\n");
}

TEST(MacroExpander, WritesOutNamespacesOfMacros) {
  std::string text =
      "#ifdef OPEN\n#undef OPEN\n#endif\n#define NAME lattice\n#define OPEN namespace NAME {\n#define CLOSE "
      "}\n"
      "OPEN\nint n;\nCLOSE\n";
  write_out_namespaces({&text});
  EXPECT_THAT(text, testing::HasSubstr("namespace lattice{\nint n;\n}\n"));
  text = "#define OPEN namespace a {\n#define CLOSE }\nOPEN\nint n;\nCLOSE\n#undef OPEN\n";
  const std::string undefined = text;
  write_out_namespaces({&text});
  EXPECT_EQ(text, undefined);
}

TEST(MacroExpander, WritesOutQualifiers) {
  std::string text =
      "#define READ_ONLY const\n#define NOTHING\n#define RESTRICT __restrict__\n#define TWICE(x) x "
      "x\n#define ONE 1\n"
      "#ifdef A\n#define EITHER const\n#else\n#define EITHER\n#endif\n"
      "void f(READ_ONLY int n, NOTHING float* RESTRICT a, EITHER char c = ONE);\n";
  write_out_qualifiers({&text});
  EXPECT_THAT(text, testing::HasSubstr("void f(const int n,  float* __restrict__ a,  char c = ONE);\n"));
}

/// A type of CUDA's cannot be what a class is called.
TEST(MacroExpander, ClassesKeepTheirNamesBesideMacrosOfOtherTypes) {
  const std::string other = "#if 0\n#define mat2 float4\n#endif\nclass mat2 {};\n";
  std::string text = other;
  write_out_macros({&text}, {});
  EXPECT_EQ(text, other);
  text = "#define mat2 two\nclass mat2 {};\n";
  write_out_macros({&text}, {});
  EXPECT_THAT(text, testing::HasSubstr("class two {};"));
}

TEST(MacroExpander, WritesPragmasOfMacrosAsOperators) {
  std::string text =
      "#ifdef A\n#define UNROLL #pragma unroll\n#endif\n# define FOUR \\\n  #pragma unroll 4\n#define S(x) "
      "#x\n";
  write_out_macros({&text}, {});
  EXPECT_EQ(text,
            "#ifdef A\n#define UNROLL _Pragma(\"unroll\")\n#endif\n# define FOUR \\\n  _Pragma(\"unroll "
            "4\")\n#define S(x) #x\n");
}

TEST(MacroExpander, WritesOutKernelsAndDeviceFunctionsThatMacrosDefine) {
  const struct {
    const char *macros, *use, *expected;
  } cases[] = {
      {"#define OP(T, NAME) extern \"C\" __global__ void NAME(T* x) { *x = N; }\n", "OP(float, one)\n",
       "extern\"C\" __global__ void one(float*x){*x=N;}\n"},
      {"#define OP(p) __device__ float f(float* q) { return *q / *p; }\n", "OP(q)\n",
       "__device__ float f(float*q){return*q/ *q;}\n"},
      {"#define OP(T, s) template <class U> __device__ T get_##s(U x) { return x; }\n", "OP(int,\n a)\n",
       "template<class U>__device__ int get_a(U x){return x;}\n\n"},
      {"#define ONE(T) __launch_bounds__(64) __global__ void k_##T() {}\n#define BOTH ONE(a)\n"
       "#define ALL(x) ONE(x) ONE(b)\n",
       "ALL(c)\n",
       "__launch_bounds__(64)__global__ void k_c(){}__launch_bounds__(64)__global__ void k_b(){}\n"},
      {"#define HEAD(NAME) __global__ void NAME\n", "HEAD(k)(int* x) {}\n", "HEAD(k)(int* x) {}\n"},
      {"#define EACH(n, i) run(n, [=] __device__(int i) { f(i); })\n", "void g() { EACH(4, i); }\n",
       "void g() { EACH(4, i); }\n"},
      {"#ifdef A\n#define OP(T) __global__ void k(T*) {}\n#else\n#define OP(T) __global__ void k(T) "
       "{}\n#endif\n",
       "OP(int)\n", "OP(int)\n"},
      // Words that would become others without a blank.
      {"#define OP(a, b) __device__ int a() { return b - --x + (c ? 0xE + 1 : ::g(3)); }\n", "OP(f, y)\n",
       "__device__ int f(){return y- --x+(c?0xE +1: ::g(3));}\n"},
      {"#define OP(a) __device__ void a(int x) { switch (x) { case 0 ... 2: case 4: break; } }\n", "OP(f)\n",
       "__device__ void f(int x){switch(x){case 0 ...2:case 4:break;}}\n"},
      // Preprocessor lines among the arguments, names that are undefined later or given by the command line.
      {"#define OP(a, ...) __global__ void a(int* x) { __VA_ARGS__ }\n",
       "OP(f, *x = 1;\n#ifdef B\n*x = 2;\n#endif\n)\n", "OP(f, *x = 1;\n#ifdef B\n*x = 2;\n#endif\n)\n"},
      {"#define OP(a) __global__ void a() {}\n", "OP(f)\n#undef OP\nint OP(int);\n",
       "OP(f)\n#undef OP\nint OP(int);\n"},
      {"#ifndef GIVEN\n#define GIVEN(a) __global__ void a() {}\n#endif\n", "GIVEN(f)\n", "GIVEN(f)\n"},
      // Macros among the arguments are replaced before a macro inside pastes them.
      {"#define TYPE float\n#define OP_(T) __global__ void f_##T(T* x) {}\n#define OP(T) OP_(T)\n",
       "OP(TYPE)\n", "OP(TYPE)\n"},
      {"#define TYPE float\n#define OP(T) __global__ void f_##T(T* x) {}\n", "OP(TYPE)\n",
       "__global__ void f_TYPE(TYPE*x){}\n"},
      {"#define TYPE float\n#define OP_(T) __global__ void f_##T(T* x) {}\n#define OP() OP_(TYPE)\n",
       "OP()\n", "OP()\n"},
  };
  for (const auto& one : cases) {
    std::string text = std::string(one.macros) + one.use;
    write_out_macros({&text}, {{"GIVEN(a)", "int a;"}});
    EXPECT_EQ(text, std::string(one.macros) + one.expected);
  }
}

}  // namespace
}  // namespace kiln
