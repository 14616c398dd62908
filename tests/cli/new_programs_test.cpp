// Drafts of programs whose kernels take objects, stand in conditionals or need other files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/exit_code.h"
#include "cli/cli_fixture.h"

namespace kiln {
namespace {

using test::CliResult;
using testing::HasSubstr;
using testing::Not;

class NewPrograms : public test::CliTest {
 protected:
  std::string draft(const std::string& text) {
    const CliResult result = kiln({"new", write("program.cu", text), "-o", path("program.yaml"), "--force"});
    EXPECT_EQ(result.code, kExitDone) << result.err;
    said_ = result.out + result.err;
    return files_->read_file(path("program.yaml")).value_or("");
  }

  /// Runs it with other texts in the place of some.
  CliResult run_with(std::string yaml, const std::vector<std::pair<std::string, std::string>>& filled) {
    for (const auto& [from, to] : filled) {
      const std::size_t at = yaml.find(from);
      EXPECT_NE(at, std::string::npos) << from << " in\n" << yaml;
      if (at != std::string::npos) yaml.replace(at, from.size(), to);
    }
    return kiln({"run", write("program.yaml", yaml), "--device", "cpu", "--require-checks"});
  }

  std::string said_;
};

TEST_F(NewPrograms, FunctionObjectsWithMembersArePassed) {
  const std::string yaml = draft(R"cuda(
struct Put {
  __device__ Put(double k) : strike(k) {}
  __device__ double operator()(double s) const { return max(strike - s, 0.0); }
  double strike;
};
template <int N, class Payoff>
__global__ void pay(Payoff payoff, double* out) { out[threadIdx.x] = payoff(threadIdx.x); }
template <class Payoff>
void run(const Payoff& payoff, double* out) { pay<8><<<1, 8>>>(payoff, out); }
int main() { double* out; cudaMalloc(&out, 8 * sizeof(double)); run(Put(5.0), out); }
)cuda");
  EXPECT_THAT(yaml, HasSubstr("template_args: [8, Put]"));
  const CliResult ran =
      run_with(yaml, {{"{struct: [{value: 0, type: double}]}", "{struct: [{value: 5, type: double}]}"},
                      {"checks: []", "checks: [{buffer: out, region: [[2, 3]], expected: 3}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, ManyMembersThatAreAlikeAreCounted) {
  const std::string yaml = draft(
      "template <class I> struct Table { I bits[3]; float all[900]; int* at[20]; };\n"
      "template <class I> __global__ void read(Table<I> t, float* out) { out[0] = t.all[899] + t.bits[2]; }\n"
      "int main() { Table<int> t; float* out; read<int><<<1, 1>>>(t, out); }\n");
  EXPECT_THAT(yaml, HasSubstr("{value: 0, type: float, count: 900}"));
  EXPECT_THAT(yaml, HasSubstr("{buffer: at, count: 20}"));
  const CliResult ran =
      run_with(yaml, {{"type: float, count: 900}", "type: float, count: 899}, {value: 7, type: float}"},
                      {"checks: []", "checks: [{buffer: out, region: [[0, 1]], expected: 7}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, KernelsThatNothingCompilesAreLeftOut) {
  const std::string text =
      "#ifdef CHECK_IT\n__global__ void check(float* a) { a[0] = 1; }\n#endif\n"
      "#if 0\n__global__ void never(float* a) { a[0] = 2; }\n#endif\n"
      "#define HAS_IT\n#ifdef HAS_IT\n__global__ void fill(float* a) { a[0] = 3; }\n#endif\n"
      "#ifdef CHECK_IT\n__global__ void two(float* a) { a[0] = 4; }\n#else\n"
      "__global__ void two(float* a, int n) { a[n] = 5; }\n#endif\n"
      "int main() { float* a; fill<<<1, 1>>>(a); two<<<1, 1>>>(a, 3); }\n";
  const std::string yaml = draft(text);
  EXPECT_THAT(yaml, HasSubstr("run: [fill, two]"));
  EXPECT_THAT(yaml, HasSubstr("args: [a, n]"));
  EXPECT_THAT(said_, HasSubstr("'check' is not compiled: nothing defines CHECK_IT (-D CHECK_IT)"));
  const CliResult with = kiln({"new", path("program.cu"), "-D", "CHECK_IT", "-o", path("with.yaml")});
  EXPECT_EQ(with.code, kExitDone) << with.err;
  EXPECT_THAT(files_->read_file(path("with.yaml")).value_or(""), HasSubstr("check:\n"));
}

TEST_F(NewPrograms, KernelsOfANamespaceMayBeDefinedOutsideOfIt) {
  const std::string yaml = draft(
      "namespace grid { __global__ void fill(float* a); }\n"
      "__global__ void grid::fill(float* a) { a[0] = 6; }\nint main() { float* a; grid::fill<<<1, 1>>>(a); "
      "}\n");
  EXPECT_THAT(yaml, HasSubstr("entry: \"grid::fill\""));
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: a, region: [[0, 1]], expected: 6}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, DeviceFunctionsOfOtherFilesAreCompiledWithIt) {
  write("twice.cu", "__device__ float factor = 2;\n__device__ float twice(float x) { return factor * x; }\n");
  const std::string yaml = draft(
      "__device__ float twice(float x);\n__global__ void k(float* a) { a[0] = twice(4); }\n"
      "int main() { float* a; k<<<1, 1>>>(a); }\n");
  EXPECT_THAT(yaml, HasSubstr("source: [program.cu, twice.cu]"));
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: a, region: [[0, 1]], expected: 8}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, HeadersAreFoundInFoldersNearby) {
  files_->make_directories(path("common"), false);
  write("common/sizes.h", "#define SIDE 16\n");
  const std::string yaml = draft(
      "#include \"sizes.h\"\n__global__ void k(float* a) { a[SIDE - 1] = 4; }\n"
      "int main() { float* a; k<<<1, SIDE>>>(a); }\n");
  EXPECT_THAT(yaml, HasSubstr("options: [\"-Icommon\"]"));
  EXPECT_THAT(said_, HasSubstr("common: -I added"));
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: a, region: [[15, 16]], expected: 4}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, ParametersInConditionalsAreThoseOfTheFirstBranch) {
  const std::string yaml = draft(
      "__global__ void k(\n#ifndef WIDE\n    float* a,\n#else\n    double* a,\n#endif\n    int n) { a[n] = "
      "3; }\n"
      "int main() { float* a; k<<<1, 1>>>(a, 2); }\n");
  EXPECT_THAT(yaml, HasSubstr("args: [a, n]"));
  EXPECT_THAT(yaml, HasSubstr("a: {type: float,"));
}

TEST_F(NewPrograms, AnUnknownWordInFrontOfATypeParameterIsAConcept) {
  const std::string yaml = draft(
      "template <Number T, int N> __global__ void k(const T* in, T* out) { out[N] = in[0]; }\n"
      "int main() { float* a; k<float, 2><<<1, 1>>>(a, a); }\n");
  EXPECT_THAT(yaml, HasSubstr("T: {type: type, default: float}"));
  EXPECT_THAT(yaml, HasSubstr("template_args: [T, 2]"));
}

TEST_F(NewPrograms, MacrosOnTheirOwnLinesAreNoKernels) {
  const std::string yaml = draft(
      "BEGIN_NAMESPACE\n\nREGISTER(Thing)\n\n__global__ void\nk(float* a) { a[0] = 1; }\n"
      "int main() { float* a; k<<<1, 1>>>(a); }\n");
  EXPECT_THAT(yaml, HasSubstr("run: [k]"));
}

TEST_F(NewPrograms, VotesWithoutAMaskAreThoseOfTheActiveWorkItems) {
  const std::string yaml = draft(
      "#define ANY(x) __any(x)\n__global__ void k(unsigned* a) {\n  a[threadIdx.x] = 0;\n"
      "  if (threadIdx.x < 5) a[threadIdx.x] = __ballot(threadIdx.x > 2) + ANY(threadIdx.x == 1);\n}\n"
      "int main() { unsigned* a; k<<<1, 32>>>(a); }\n");
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: a, region: [[0, 5]], expected: 25}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, ConditionalsOfNvccAreTrue) {
  const std::string yaml = draft(
      "__global__ void k(float* a) {\n#ifdef __NVCC__\n  a[0] = 9;\n#endif\n}\n"
      "int main() { float* a; k<<<1, 1>>>(a); }\n");
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: a, region: [[0, 1]], expected: 9}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

}  // namespace
}  // namespace kiln
