// `kiln compile` for NVIDIA's GPUs with no GPU: the way of an air-gapped site.
#include <gmock/gmock.h>

#include "cli/cli_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class CompileForCuda : public CliTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(CompileForCuda, CompilesAWorkloadForFourArchitectures) {
  const std::string job = write("job.yaml", "workload: " + std::string(GetParam()) + "\n");
  const CliResult result = kiln({"compile", job, "--arch", "sm_80,sm_90,sm_90a,sm_100"});
  constexpr int kEnvironment = 3;
  if (result.code == kEnvironment) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  for (const char* arch : {"cuda:sm_80\n", "cuda:sm_90\n", "cuda:sm_90a\n", "cuda:sm_100\n"}) {
    EXPECT_THAT(result.out, HasSubstr(arch));
  }
  EXPECT_THAT(result.out, Not(HasSubstr("1 failed")));

  const CliResult again = kiln({"compile", job, "--arch", "sm_80,sm_90,sm_90a,sm_100"});
  EXPECT_EQ(again.code, 0);
  EXPECT_THAT(again.out, HasSubstr("0 compiled"));
}

INSTANTIATE_TEST_SUITE_P(Workloads, CompileForCuda,
                         ::testing::Values("babelstream", "stencil7", "minibude", "hartree_fock"),
                         [](const auto& variant) { return std::string(variant.param); });

}  // namespace
}  // namespace kiln::test
