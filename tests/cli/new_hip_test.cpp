// Programs of HIP's users and of public suites, drafted and run on the CPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/draft_fixture.h"

namespace kiln {
namespace {

using test::CliResult;
using testing::HasSubstr;

class NewHip : public test::DraftTest {
 protected:
  /// Runs the draft of `kernel`, which writes numbers to a[0], a[1], ...
  void expect_written(const std::string& kernel, const std::vector<std::string>& expected) {
    const std::string yaml = draft("#include <hip/hip_runtime.h>\n" + kernel +
                                   "int main() { float* a; hipLaunchKernelGGL(k, 1, 1, 0, 0, a); }\n");
    std::string checks;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::string at = std::to_string(i);
      checks += std::string(i == 0 ? "" : ", ") + "{name: c" + at + ", buffer: a, region: [[" + at + ", " +
                std::to_string(i + 1) + "]], expected: " + expected[i] + "}";
    }
    const CliResult ran = run_with(yaml, {{"checks: []", "checks: [" + checks + "]"}});
    EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
  }
};

TEST_F(NewHip, VectorsHaveOperators) {
  expect_written(
      "__global__ void k(float* a) {\n"
      "  float4 v = make_float4(1, 2, 3, 4), w = v * 2.0f + v;\n"
      "  w -= make_float4(1, 1, 1, 1);\n  a[0] = w.w;\n  a[1] = (6 / v).z;\n  a[2] = (-v).y;\n"
      "  uchar4 b = make_uchar4(200, 1, 2, 3);\n  b ^= make_uchar4(255, 255, 0, 0);\n"
      "  b += make_uchar4(201, 0, 0, 0);\n  a[3] = b.x;\n  a[4] = b.y;\n"
      "  int2 i = make_int2(7, -9);\n  i = (i << 1) % 4;\n  a[5] = i.x;\n  a[6] = i.y;\n"
      "  a[7] = v == v && v != w ? 1 : 0;\n  double3 d = make_double3(1, 2, 3);\n  d /= 4;\n  a[8] = "
      "d.z;\n}\n",
      {"11", "2", "-2", "0", "254", "2", "-2", "1", "0.75"});
}

TEST_F(NewHip, OperatorsOfTheProgramWin) {
  expect_written(
      "__device__ float2 operator*(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, 9); }\n"
      "__device__ void operator*=(float2& a, float b) { a.x = b; }\n"
      "__global__ void k(float* a) {\n  float2 z = make_float2(2, 3);\n  a[0] = (z * z).x;\n"
      "  a[1] = (z * z).y;\n  a[2] = (z * 2).x;\n}\n",
      {"-5", "9", "4"});
}

TEST_F(NewHip, MaximaOfRealNumbersAreAtomic) {
  expect_written(
      "__global__ void k(float* a) {\n  a[0] = -1;\n  a[1] = -1;\n  a[2] = 5;\n  atomicMax(&a[0], -3.0f);\n"
      "  a[3] = atomicMax(&a[1], 2.5f);\n  atomicMin(a + 2, -7.0f);\n  double d = 1;\n  atomicMax(&d, 8.0);\n"
      "  a[4] = d;\n}\n",
      {"-1", "2.5", "-7", "-1", "8"});
}

TEST_F(NewHip, LibrariesAreThoseOfCuda) {
  expect_written(
      "#include <hip/hip_complex.h>\n#include <hipcub/hipcub.hpp>\n#include <hiprand/hiprand_kernel.h>\n"
      "__global__ void k(float* a) {\n  using Reduce = hipcub::WarpReduce<int, 1>;\n"
      "  __shared__ Reduce::TempStorage s;\n  a[0] = Reduce(s).Sum(4);\n"
      "  a[1] = hipCabsf(hipCmulf(make_hipFloatComplex(3, 4), make_hipFloatComplex(0, 2)));\n"
      "  hiprandState r;\n  hiprand_init(1, 0, 0, &r);\n  const float u = hiprand_uniform(&r);\n"
      "  a[2] = u > 0 && u <= 1 ? 1 : 0;\n}\n",
      {"4", "10", "1"});
}

TEST_F(NewHip, TexturesAndPitchedPointersArePassed) {
  const std::string yaml = draft(
      "#include <hip/hip_runtime.h>\n"
      "__global__ void k(float* a, hipTextureObject_t t, hipPitchedPtr p) {\n"
      "  a[threadIdx.x] = tex2D<float>(t, threadIdx.x, 0) + p.pitch;\n}\n"
      "int main() { float* a; hipTextureObject_t t; hipPitchedPtr p; k<<<1, 64>>>(a, t, p); }\n");
  EXPECT_THAT(yaml, HasSubstr("{texture: "));
  const CliResult made = kiln({"compile", path("program.yaml"), "--arch", "native"});
  EXPECT_EQ(made.code, kExitDone) << made.err << made.out << yaml;
}

TEST_F(NewHip, MacrosOfHeadersGiveTemplateArguments) {
  write("dispatch.h",
        "#define WIDTH_SWITCH(VALUE, NAME, ...) [&] { \\\n"
        "  if (VALUE == 8) { constexpr int NAME = 8; return __VA_ARGS__(); } \\\n"
        "  constexpr int NAME = 16; return __VA_ARGS__(); }()\n"
        "#define TYPE_SWITCH(type, f, ...) \\\n"
        "  if (type == 0) f<unsigned short, double>(__VA_ARGS__); else f<int, float>(__VA_ARGS__)\n");
  const std::string yaml = draft(
      "#include \"dispatch.h\"\n"
      "template <class A, class B, int Width> __global__ void k(B* a) { a[0] = Width * sizeof(A) + "
      "sizeof(B); }\n"
      "template <class A, class B> void run(void* a, int n) {\n"
      "  B* b = (B*)a;\n  WIDTH_SWITCH(n, kWidth, [&] { k<A, B, kWidth><<<1, 1>>>(b); });\n}\n"
      "int main(int n, char**) { void* a; TYPE_SWITCH(n, run, a, n); }\n");
  EXPECT_THAT(yaml, HasSubstr("template_args: [A, B, 8]"));
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: b, region: [[0, 1]], expected: 24}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

TEST_F(NewHip, ATypeOfWhichTheKernelReadsComponentsIsAVector) {
  const std::string yaml = draft(
      "template <class C> __global__ void k(C* a, const C* in) {\n  C c = in[threadIdx.x];\n"
      "  a[threadIdx.x].x = c.y + in[0].x;\n}\n"
      "template <class C> void run(C* a) { k<<<1, 64>>>(a, a); }\n"
      "int main() { run(values()); }\n");
  EXPECT_THAT(yaml, HasSubstr("template_args: [float2]  # FILL IN"));
  const CliResult made = kiln({"compile", path("program.yaml"), "--arch", "native"});
  EXPECT_EQ(made.code, kExitDone) << made.err << made.out << yaml;
}

TEST_F(NewHip, FunctionsMayCallEachOther) {
  const std::string yaml = draft(
      "__device__ __forceinline__ int odd(int n);\n"
      "__device__ __forceinline__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }\n"
      "__device__ __forceinline__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }\n"
      "__global__ void k(int* a) { a[threadIdx.x] = even(threadIdx.x + 2) + 10 * odd(threadIdx.x); }\n"
      "int main() { int* a; k<<<1, 64>>>(a); }\n");
  const CliResult ran =
      run_with(yaml, {{"checks: []",
                       "checks: [{buffer: a, region: [[62, 63]], expected: 1}, {name: other, buffer: "
                       "a, region: [[63, 64]], expected: 10}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

}  // namespace
}  // namespace kiln
