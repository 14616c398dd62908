#include "compile/cuda/gnu_syntax.h"

#include <gtest/gtest.h>

#include "compile/cuda/nvrtc_fixture.h"

namespace kiln {
namespace {

TEST(GnuSyntax, CompoundLiteralsAreInitialisers) {
  EXPECT_EQ(without_gnu_syntax("a = (float2){1, 2}; f((ns::V<3>){x}, y); return (T2){ 0 };"),
            "a = float2{1, 2}; f(ns::V<3>{x}, y); return T2{ 0 };");
  EXPECT_EQ(without_gnu_syntax("#define ONE (T2){ 1, 1 }\n"), "#define ONE T2{ 1, 1 }\n");
}

TEST(GnuSyntax, ConstantsOfOtherConstantsAreConstants) {
  EXPECT_EQ(
      without_gnu_syntax(
          "const int n = 3;\nnamespace a {\nconst float s = 1;\nstatic const double r = 2.5 * s / n;\n}\n"
          "float const q = -(M_PI);\n"),
      "const int n = 3;\nnamespace a {\nconstexpr float s = 1;\nstatic constexpr double r = 2.5 * s / n;\n}\n"
      "float constexpr q = -(M_PI);\n");
  for (const char* text :
       {"const float a = f(2);", "float b = 2;", "const float c = other;", "__constant__ const float d = 1;",
        "extern const float e = 1;", "const float g[2] = {1, 2};", "const float* p = 0;", "const float h;",
        "void k() { const float s = 2; }", "struct A { const float s = 2; };", "const A s = 2;"})
    EXPECT_EQ(without_gnu_syntax(text), text);
}

TEST(GnuSyntax, OtherBracketsAreLeftAlone) {
  for (const char* text :
       {"void f(int){ g(); }", "if (x) { y(); }", "for (;;) {}", "auto l = [](int a) { return a; };",
        "#define SWAP(a, b) { T c = a; a = b; b = c; }\n", "x = (a + b) * c;", "struct A { A(int){ } };",
        "float2 operator+(float2 a, float2 b) { return f(a, b); }", "bool operator()(T) { return g; }",
        "A operator-(A) { return x; }", "auto f = g * (float a) { };", "y = p->at({a(1), b});",
        "y = ({1, 2});"})
    EXPECT_EQ(without_gnu_syntax(text), text);
}

TEST(GnuSyntax, StatementExpressionsAreLambdas) {
  EXPECT_EQ(without_gnu_syntax("#define MAX(a, b) ({ __typeof__(a) c = (a); c > (b) ? c : (b); })\n"),
            "#define MAX(a, b) ([&]{ decltype(a) c = (a); return c > (b) ? c : (b); }())\n");
  EXPECT_EQ(without_gnu_syntax("y = ({ if (x) { y = 2; } y + 1; });"),
            "y = ([&]{ if (x) { y = 2; } return y + 1; }());");
}

TEST(GnuSyntax, WordsBehindALiteralAreNoSuffixOfIt) {
  EXPECT_EQ(without_gnu_syntax("extern \"C\"__global__ void k();"), "extern \"C\" __global__ void k();");
  EXPECT_EQ(without_gnu_syntax("auto s = \"C\"_s;"), "auto s = \"C\"_s;");
}

TEST(GnuSyntax, LinesAreContinuedWithoutBlanks) {
  EXPECT_EQ(without_gnu_syntax("#define A(x) \\ \t\n  f(x) \\\n  g(x)\nint a;\n"),
            "#define A(x) \\\n  f(x) \\\n  g(x)\nint a;\n");
  EXPECT_EQ(without_gnu_syntax("char c[] = \"\\\\ \";\n"), "char c[] = \"\\\\ \";\n");
}

TEST(GnuSyntax, LambdasHaveNoMarks) {
  EXPECT_EQ(without_gnu_syntax(
                "auto f = [=] __host__ __device__(int i) { return [&]__device__ { return i; }(); };"),
            "auto f = [=]  (int i) { return [&] { return i; }(); };");
  for (const char* text : {"[[nodiscard]] __device__ int f();", "__shared__ int a[4]; __device__ int b;"})
    EXPECT_EQ(without_gnu_syntax(text), text);
}

TEST(GnuSyntax, MemoryOfAConstantSizeIsAnArray) {
  const auto constants = constants_for_sizes(
      {"#define HALF (N / 2)\n#define N 64\n#define LIMIT params.n\n#define BOTH 1\n#define BOTH n\n",
       "constexpr int kMost = 4; template <int K, class T> void f() { alloca(1); }"});
  EXPECT_EQ(constants, (std::set<std::string, std::less<>>{"HALF", "K", "N", "kMost"}));
  EXPECT_EQ(without_gnu_syntax("{ float* t = (float*)alloca(HALF * sizeof(float)); t[0] = 1; }", constants),
            "{ alignas(16) unsigned char kiln_memory_9[HALF*sizeof(float)]; "
            "float* t = (float*)static_cast<void*>(kiln_memory_9); t[0] = 1; }");
  for (const char* text :
       {"{ float* t = (float*)alloca(n * sizeof(float)); }", "{ float* t = (float*)alloca(LIMIT); }",
        "{ if (n) t = (float*)alloca(64); }", "{ f((float*)alloca(64)); }"})
    EXPECT_EQ(without_gnu_syntax(text, constants), text);
}

class GnuSyntaxOfKernels : public test::NvrtcTest {};

TEST_F(GnuSyntaxOfKernels, CompileWithNvrtc) {
  const CodeObject object = compile(specialize(
      "#define MAX(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ > b_ ? a_ : b_; })\n"
      "struct Pixel { float r, g; };\n"
      "extern \"C\" __global__ void k(float2* y, const float* x) {\n"
      "  const Pixel p = {.r = x[0], .g = x[1]};\n"
      "  const auto twice = [] __device__(float a) { return 2 * a; };\n"
      "  *y = (float2){MAX(x[0], p.g), MAX(3 * x[1], twice(2.0f))};\n}\n",
      "k", "sm_90"));
  EXPECT_FALSE(object.binary.empty());
}

}  // namespace
}  // namespace kiln
