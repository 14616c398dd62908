#include "compile/language_version.h"

#include <gtest/gtest.h>

#include "support/cpu_kernels.h"

namespace kiln {
namespace {

std::string version_of(const std::string& text) {
  Specialization specialization;
  specialization.source_text = text;
  return language_version(specialization);
}

TEST(LanguageVersion, TextsThatNeedTheNewerOne) {
  for (const char* text :
       {"Pixel p = {.r = 1, .g = 2};", "f(Pixel{.r{1}});",
        "template <class T>\nconcept Number = sizeof(T) == 4;",
        "template <class T> requires (sizeof(T) > 2) __global__ void k(T* a) {}",
        "auto add = []<typename T>(T a, T b) { return a + b; };",
        "__device__ float twice(auto x) { return x; }", "__device__ float twice(const auto& x) { return x; }",
        "bool less = (a <=> b) < 0;", "consteval int four() { return 4; }",
        "__global__ void k(std::span<float> a) {}", "#include <concepts>\n", "using enum Side;",
        "float x = std::bit_cast<float>(i);", "float3 f() { return float3(1, 2, 3); }",
        "a[0] = uchar4(x, y, z, 255);", "f(int2(1, g(2, 3)));"})
    EXPECT_EQ(version_of(text), "c++20") << text;
}

TEST(LanguageVersion, OtherTextsAreCompiledAsNvccDoes) {
  for (const char* text :
       {"x = {a.b, .5f}; y.z = 3;", "int concept = 4; concept = 3;", "if (a[0] < n) f(b);",
        "for (auto x : list) g(x);", "auto f = [](auto x) { return x; };", "cuda::std::span<float> a;",
        "decltype(auto) f();", "int requires = 1;", "f(decltype(auto)(x));", "#include \"span\"\n", "a <= b;",
        "float3 float3(int a, int b);", "x = float2(y);", "using F = float (*)(float3, int);",
        "dim3 d = dim3(1, 2);", "s->float2(1, 2);"})
    EXPECT_EQ(version_of(text), "c++17") << text;
}

TEST(LanguageVersion, HeadersOfTheProgramCount) {
  Specialization specialization;
  specialization.source_text = "#include <own.h>\n";
  specialization.headers = {{"own.h", "", "template <class T> concept Any = true;\n"}};
  EXPECT_STREQ(language_version(specialization), "c++20");
}

TEST(LanguageVersion, WhatIsNotCompiledDoesNotCount) {
  const struct {
    const char* text;
    std::vector<std::string> options;
    const char* version;
  } cases[] = {
      {"#if 0\n#include <span>\n#endif\n", {}, "c++17"},
      {"#ifdef RANGES\n#include <own.h>\n#endif\n", {}, "c++17"},
      {"#ifdef RANGES\n#include <own.h>\n#endif\n", {"-DRANGES=1"}, "c++20"},
      {"#ifdef RANGES\n#include <own.h>\n#endif\n", {"--define-macro", "RANGES"}, "c++20"},
      {"#include <kiln/params.h>\n#if WIDE\n#include <span>\n#endif\n", {}, "c++20"},
      {"#if __cplusplus >= 202002L\n#include <span>\n#endif\n", {}, "c++17"},
      {"#if __CUDA_ARCH__ >= 700\n#include <span>\n#endif\n", {}, "c++20"},
      {"#ifdef KILN_BACKEND_CUDA\n#include <span>\n#endif\n", {}, "c++20"},
  };
  for (const auto& one : cases) {
    Specialization specialization;
    specialization.source_text = one.text;
    specialization.params_header = "#define WIDE 1\n";
    specialization.options = one.options;
    specialization.headers = {{"own.h", "", "template <class T> concept Any = true;\n"}};
    EXPECT_STREQ(language_version(specialization), one.version) << one.text;
  }
}

TEST(LanguageVersion, NewerKernelsRunOnTheCpu) {
  test::CpuKernels kernels;
  DeviceFunction& kernel = kernels.build(
      "#include <concepts>\n#include <span>\nstruct Pair { int a, b; };\n"
      "template <std::integral T> __device__ T half(T x) { return x / 2; }\n"
      "__device__ int twice(auto x) { return 2 * x; }\n"
      "extern \"C\" __global__ void k(std::span<int> out) {\n"
      "  __shared__ int all[32];\n  const Pair p{.a = 3, .b = 10};\n"
      "  const auto add = []<typename T>(T x, T y) { return x + y; };\n"
      "  all[threadIdx.x] = threadIdx.x;\n  __syncthreads();\n"
      "  if (threadIdx.x < out.size()) out[threadIdx.x] = add(twice(p.a), half(p.b)) + all[31 - "
      "threadIdx.x];\n}\n",
      "k");
  std::vector<int> out(4);
  struct Span {
    int* data;
    std::size_t size;
  };
  LaunchShape shape;
  shape.block = {32, 1, 1};
  kernels.run(kernel, shape, Span{out.data(), out.size()});
  EXPECT_EQ(out, (std::vector<int>{42, 41, 40, 39}));
}

}  // namespace
}  // namespace kiln
