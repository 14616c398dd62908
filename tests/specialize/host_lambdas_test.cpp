#include "specialize/host_lambdas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kiln/error.h"

namespace kiln {
namespace {

using ::testing::HasSubstr;

struct Case {
  const char *text, *expected;
};

/// A lambda with `__device__` of a function of the host is an object of a class in front of the function.
TEST(HostLambdas, AreObjectsOfClasses) {
  const Case cases[] = {
      {"int main() { launch([] __device__(float v) { return v * v; }); }",
       "struct kiln_lambda_1 { __device__ auto operator()(float v) const { return v*v; } }; int main() { "
       "launch(kiln_lambda_1{}); }"},
      {"#define HD __host__ __device__\nvoid f(float* x, int n) {\n  float a = 2;\n  launch(n,\n    [=] HD "
       "(int i) "
       "mutable -> void { x[i] = a; });\n}",
       "#define HD __host__ __device__\nstruct kiln_lambda_1 { float* x; float a; __device__ void "
       "operator()(int i) { x[i]=a; } }; void f(float* x, int n) {\n  float a = 2;\n  launch(n,\n    "
       "kiln_lambda_1{x, a});\n}"},
      {"template <class T> void f(T* x) { auto put = [x] __device__(int i) { x[i] = T(); }; launch(put); }",
       "template <class T> struct kiln_lambda_1 { T* x; __device__ auto operator()(int i) const { x[i]=T(); "
       "} "
       "}; template <class T> void f(T* x) { kiln_lambda_1<T> put = kiln_lambda_1<T>{x}; launch(put); }"},
      // The innermost declaration counts, and names of the lambda's own are no variables of the function.
      {"void f(int a, int b) { { double a; } float a = 1; g([=] __device__(int i) { int b = i; use(a, b, "
       "c.a, "
       "n::a); }); }",
       "struct kiln_lambda_1 { float a; __device__ auto operator()(int i) const { int b=i;"
       "use(a,b,c.a,n::a); "
       "} }; void f(int a, int b) { { double a; } float a = 1; g(kiln_lambda_1{a}); }"},
      // Constants may be extents of arrays.
      {"#define T 4\nvoid f() { const int n = 2 * T; g([=] __device__ { float s[n]; }); }",
       "#define T 4\nstruct kiln_lambda_1 { static constexpr int n = 2*T; __device__ auto operator()() const "
       "{ "
       "float s[n]; } }; void f() { const int n = 2 * T; g(kiln_lambda_1{}); }"},
      {"int main() { using unused = int; typedef float real; using pair = P<real>; g([] __device__(pair p) { "
       "return p.x; }); }",
       "struct kiln_lambda_1 { typedef float real; using pair=P<real>; __device__ auto operator()(pair p) "
       "const { return p.x; } }; int main() { using unused = int; typedef float real; using pair = P<real>; "
       "g(kiln_lambda_1{}); }"},
      {"class S { int m; void f(float* m) { g([=] __device__(int i) { m[i] = 0; }); } };",
       "struct kiln_lambda_1 { float* m; __device__ auto operator()(int i) const { m[i]=0; } }; class S { "
       "int m; "
       "void f(float* m) { g(kiln_lambda_1{m}); } };"},
      // Lambdas of device code and plain ones of the host stay.
      {"__global__ void k() { auto f = [] __device__(int i) { return i; }; }\nint main() { [] { g(); }(); }",
       "__global__ void k() { auto f = [] __device__(int i) { return i; }; }\nint main() { [] { g(); }(); "
       "}"}};
  for (const Case& one : cases) EXPECT_EQ(with_classes_of_lambdas(one.text).text, one.expected);
}

TEST(HostLambdas, SayWhyTheyHaveNoClass) {
  const Case cases[] = {
      {"int main() { float r; g([&] __device__(int i) { r = i; }); }", "captures by reference"},
      {"int main() { auto r = f(); g([=] __device__(int i) { use(r); }); }",
       "captures 'r', which is declared as `auto`"},
      {"int main() { g([a = b] __device__(int i) { use(a); }); }",
       "captures 'a=b', whose type the text does not show"},
      {"struct S { void f() { g([=] __device__(int i) { use(m); }); } int m; };", "uses 'm' of its object"},
      {"template <class T> struct S { void f(T t) { g([=] __device__(int i) { use(t); }); } };",
       "stands in a member function of a template"},
      {"template <class... T> void f(T... t) { g([=] __device__(int i) {}); }",
       "stands in a template that has a parameter without a name, or a pack"},
      {"int main() {\n  g([] __device__(int i) {\n#ifdef X\n#endif\n  });\n}",
       "has lines of the preprocessor"}};
  for (const Case& one : cases) {
    const HostLambdas made = with_classes_of_lambdas(one.text);
    EXPECT_EQ(made.text, one.text);
    ASSERT_EQ(made.lambdas.size(), 1U) << one.text;
    EXPECT_EQ(made.lambdas[0].why_not, one.expected);
  }
}

/// A wrong name in an entry is an error with the names that there are.
TEST(HostLambdas, UnknownNamesAreErrors) {
  Specialization specialization;
  specialization.source_name = "program.cu";
  specialization.source_text =
      "int main() { g([] __device__(int i) {});\n float r; g([&] __device__(int i) { r = i; }); }";
  const auto error_of = [&](const std::string& entry) -> std::string {
    specialization.entries = {{entry, std::nullopt, ""}};
    try {
      write_out_lambdas(specialization);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(error_of("k<kiln_lambda_3>"),
              HasSubstr("no lambda 'kiln_lambda_3' in program.cu; did you mean 'kiln_lambda_1'? (its lambdas "
                        "with `__device__` in functions of the host: kiln_lambda_1, kiln_lambda_2)"));
  EXPECT_THAT(error_of("k<kiln_lambda_2>"),
              HasSubstr("'kiln_lambda_2', the lambda in line 2 of program.cu, captures by reference, so it "
                        "cannot be an argument of a kernel"));
  EXPECT_EQ(error_of("k<float>"), "");
  EXPECT_THAT(specialization.source_text, testing::StartsWith("int main"));
  EXPECT_EQ(error_of("k<kiln_lambda_1>"), "");
  EXPECT_THAT(specialization.source_text, testing::StartsWith("struct kiln_lambda_1"));
}

TEST(HostLambdas, OfATextWithBlankBranchesHaveTheNumbersOfTheWholeOne) {
  const std::string one =
      "void f(float* x) { run([=] __device__(int i) { x[i] = 1; }); run([=] __device__(int i) { x[i] = 2; "
      "}); }\n";
  const std::string whole = "#ifdef A\n" + one + "#else\n" + one + "#endif\n";
  const HostLambdas made = with_classes_of_lambdas("\n\n\n" + one + "\n", whole);
  ASSERT_EQ(made.lambdas.size(), 2U);
  EXPECT_EQ(made.lambdas[0].name, "kiln_lambda_3");
  EXPECT_EQ(made.lambdas[1].name, "kiln_lambda_4");
  EXPECT_THAT(made.text, HasSubstr("run(kiln_lambda_4{x})"));
}

}  // namespace
}  // namespace kiln
