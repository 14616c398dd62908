#include "compile/outline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> texts(const TokenizedText& tokenized) {
  std::vector<std::string> result;
  for (const Token& token : tokenized.tokens) result.emplace_back(token.text);
  return result;
}

TEST(Outline, ATypeInAnotherBranchOfAnIfIsNoVariable) {
  const Outline outlined = outline(
      "__host__ __device__\n#endif\n#if defined(_OPENMP)\ntypedef struct { float x, y; } pair;\n#endif\n"
      "inline float f(pair p);\n__device__ int counter;\n"
      "struct S { __device__ S& operator=(const S& other); __device__ bool operator==(S other) const; };\n");
  ASSERT_EQ(outlined.variables.size(), 1U);
  EXPECT_EQ(outlined.variables[0].qualified_name, "counter");
}

TEST(Tokens, LeaveOutCommentsAndKeepLiteralsWhole) {
  EXPECT_THAT(
      texts(tokenize("a /* b \" */ += 1'000.5e-3f; // c\n'\"' \"x // \\\" y\" R\"(a)\" b)\"")),
      ElementsAre("a", "+=", "1'000.5e-3f", ";", "'\"'", "\"x // \\\" y\"", "R\"(a)\"", "b", ")", "\""));
  EXPECT_THAT(texts(tokenize("LR\"z()\")z\" L'x' a->b::c")),
              ElementsAre("LR\"z()\")z\"", "L'x'", "a", "->", "b", "::", "c"));
}

TEST(Tokens, CountLinesThroughCommentsAndContinuations) {
  const TokenizedText text = tokenize("a\n/*\n*/ b \\\n c\n#define X(y) \\\n  y##z\nd \"unterminated\ne");
  EXPECT_EQ(text.tokens[0].line, 1);
  EXPECT_EQ(text.tokens[1].line, 3);
  EXPECT_EQ(text.tokens[2].line, 4);
  EXPECT_EQ(text.tokens[3].line, 7);
  ASSERT_EQ(text.directives.size(), 1U);
  EXPECT_TRUE(text.directives[0].tokens[0].is("define"));
  EXPECT_TRUE(text.directives[0].tokens.back().is("z"));
}

TEST(Tokens, EditsKeepLineNumbers) {
  EXPECT_EQ(apply_edits("one\ntwo\nthree\n", {{4, 5, "2"}, {0, 0, ">"}}), ">one\n2\nhree\n");
}

TEST(FindKernels, SeesEveryFormOfDefinition) {
  EXPECT_THAT(find_kernels(R"(
#define N 3
extern "C" __global__ void __launch_bounds__(256, 2) first(int* a) { if (a) { a[0] = 1; } }
namespace x { namespace {
template <class T, int W = (3 > 2)> static __global__ void second(T a) {}
} }
struct S { __device__ void not_one() {} };
__global__ void declared_only(int);
__device__ int helper() { return 0; }
template <> __global__ void second<float, 2>(float a) {}
// __global__ void commented() {}
const char* text = "__global__ void quoted() {}";
__global__ void KILN_LAUNCH_BOUNDS_third third() {}
extern "C" { __attribute__((used)) __global__ void fourth() {} }
)"),
              ElementsAre("first", "second", "third", "fourth"));
  EXPECT_THAT(find_kernels("}}} ((( [ __global__"), IsEmpty());
  EXPECT_THAT(find_kernels(""), IsEmpty());
}

TEST(Outline, ListsDeviceVariablesWithTheirScopes) {
  const Outline text = outline(R"(
__constant__ float table[3 * (2)] = {1, 2};
namespace a::b { static __device__ unsigned long long counter; }
namespace { __device__ __align__(16) int4 hidden{}; }
__constant__ unsigned ALIGNED(16) keys[2];
__device__ __host__ class Vector { public: float x; };
__device__ struct Body : Vector { int n; };
struct Shape { __device__ [[nodiscard]] virtual int width() const = 0; };
extern __constant__ float elsewhere[];
namespace a { __constant__ long nx, ny[2] = {f(1, 2), 3}, *nz; }
__device__ float function(float x, int y);
__device__ float defined(float x) { __device__ float* y = &x; return *y; }
)");
  std::vector<std::string> names;
  for (const DeviceVariable& variable : text.variables) names.push_back(variable.qualified_name);
  EXPECT_THAT(names, ElementsAre("table", "a::b::counter", "hidden", "keys", "a::nx", "a::ny", "a::nz"));
}

TEST(Outline, NamespacesMayStandBehindMacros) {
  const Outline text = outline(
      "LIB_BEGIN namespace a { VIS(4) namespace b { __constant__ float w[2]; } __device__ int n; } "
      "LIB_END\n"
      "namespace API c::inline d { __device__ int n; } namespace [[deprecated(\"x\")]] e { __device__ int n; "
      "}\n"
      "namespace __attribute__((visibility(\"default\"))) f { __device__ int n; }\n");
  std::vector<std::string> names;
  for (const DeviceVariable& variable : text.variables) names.push_back(variable.qualified_name);
  EXPECT_THAT(names, ElementsAre("a::b::w", "a::n", "c::d::n", "e::n", "f::n"));
}

TEST(Outline, AVariableMayBeDefinedByItsWholeName) {
  const Outline text = outline(
      "namespace a { namespace b { extern __constant__ float w[2]; } extern __device__ int n; }\n"
      "__constant__ float a::b::w[2];\nnamespace a { __constant__ float b::v[2]; }\n"
      "__device__ int a::n = std::max(1, 2);\n__device__ c::type m;\n");
  std::vector<std::string> names;
  for (const DeviceVariable& variable : text.variables) names.push_back(variable.qualified_name);
  EXPECT_THAT(names, ElementsAre("a::b::w", "a::b::v", "a::n", "m"));
}

TEST(Outline, TemplateArgumentsAreNoNamesOfVariables) {
  const Outline text = outline(
      "static __device__ std::tuple<double, double>\nf(const int* a, double x);\n"
      "__device__ std::array<float, 4> table;\n");
  ASSERT_EQ(text.variables.size(), 1U);
  EXPECT_EQ(text.variables[0].qualified_name, "table");
}

TEST(Outline, MembersOfAClassAreNoVariables) {
  const Outline text = outline(R"(
struct Sum {
  static constexpr int zero = 0;
  __device__ int operator()(int a, int b) const { __shared__ int local; return a + b; }
  template <class T> static __device__ T identity() { extern __shared__ T inside[]; return T(zero); }
};
struct Table { int entries[4]; };
__constant__ Table table;
)");
  ASSERT_EQ(text.variables.size(), 1U);
  EXPECT_EQ(text.variables[0].qualified_name, "table");
  for (const DynamicSharedArray& array : text.dynamic_shared) EXPECT_FALSE(array.at_namespace_scope);
}

}  // namespace
}  // namespace kiln
