// `kiln compile` for AMD's GPUs with no GPU: the way of an air-gapped site.
#include <gmock/gmock.h>

#include "cli/cli_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kEnvironment = 3;

class CompileForHip : public CliTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(CompileForHip, CompilesAWorkloadForTwoIsasAndFindsItTheSecondTime) {
  const std::string job = write("job.yaml", "workload: " + std::string(GetParam()) + "\n");
  const CliResult result = kiln({"compile", job, "--arch", "gfx906,gfx90a"});
  if (result.code == kEnvironment) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  for (const char* arch : {"hip:gfx906\n", "hip:gfx90a\n"}) EXPECT_THAT(result.out, HasSubstr(arch));
  EXPECT_THAT(result.out, HasSubstr("0 in the cache, 0 failed"));
  EXPECT_THAT(result.out, HasSubstr("registers"));

  const CliResult again = kiln({"compile", job, "--arch", "gfx906,gfx90a"});
  EXPECT_EQ(again.code, 0);
  EXPECT_THAT(again.out, HasSubstr("0 compiled"));
  EXPECT_THAT(again.out, HasSubstr("registers"));
}

INSTANTIATE_TEST_SUITE_P(Workloads, CompileForHip,
                         ::testing::Values("babelstream", "stencil7", "minibude", "hartree_fock", "su3",
                                           "cloverleaf", "transpose", "spmv", "batched_gemm", "gemm",
                                           "gemm_scaled", "conv2d", "mala", "layers"),
                         [](const auto& variant) { return std::string(variant.param); });

using CompileForHipOnce = CliTest;

TEST_F(CompileForHipOnce, ConstantsAndFastMathAreOtherCode) {
  const std::string job = write("job.yaml", "workload: stencil7\nset: {nx: 64}\n");
  const CliResult result =
      kiln({"compile", job, "--arch", "gfx90a", "--sweep", "bind.nx=compile,run", "fast_math=false,true"});
  if (result.code == kEnvironment) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  // Four steps; the kernels of data are compiled once, with every size at run time and no fast-math.
  EXPECT_THAT(result.out, HasSubstr("5 compiled"));
}

TEST_F(CompileForHipOnce, CompilesMatrixInstructions) {
  const std::string job = write("job.yaml",
                                "workload: gemm\nset: {operation: mfma}\n"
                                "sweep: {T: [float, double, half, bfloat16], each_n: [16, 32]}\n");
  const CliResult result = kiln({"compile", job, "--arch", "gfx90a"});
  if (result.code == kEnvironment) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("0 failed"));
}

TEST_F(CompileForHipOnce, CompilesExamples) {
  for (const char* example : {"foreign_axpy", "foreign_reduction", "foreign_transpose", "spmv"}) {
    const std::string job = std::string(KILN_SOURCE_DIR) + "/configs/examples/" + example + ".yaml";
    const CliResult result = kiln({"compile", job, "--arch", "gfx906"});
    if (result.code == kEnvironment) GTEST_SKIP() << result.err;
    EXPECT_EQ(result.code, 0) << result.out << result.err;
  }
}

TEST_F(CompileForHipOnce, AnUnknownIsaIsBadInput) {
  const std::string job = write("job.yaml", "workload: stencil7\n");
  const CliResult result = kiln({"compile", job, "--arch", "gfx9999"});
  if (result.code == kEnvironment) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("gfx9999 is not known to this hipRTC"));
  EXPECT_THAT(result.err, HasSubstr("knows"));
  EXPECT_THAT(result.out, Not(HasSubstr("compiled")));
}

}  // namespace
}  // namespace kiln::test
