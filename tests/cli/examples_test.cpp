// The jobs of configs/examples, kernels that were written without Kiln in mind and programs: each verified on
// the CPU, where its text permits, and compiled for NVIDIA's GPUs, where NVRTC is there. tests/gpu runs them
// on a GPU.
#include "cli/examples.h"

#include <gmock/gmock.h>

#include "base/exit_code.h"
#include "cli/cli_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class Example : public CliTest, public ::testing::WithParamInterface<std::string> {
 protected:
  std::string job(bool sweep) { return copy_example(GetParam(), folder_, *files_, sweep); }
};

TEST_P(Example, AgreesWithItsReferenceOnTheCpu) {
  const std::string text = *files_->read_file(job(true));
  if (text.find("\ndevice: cuda\n") != std::string::npos) GTEST_SKIP() << "it says 'device: cuda'";
  const CliResult result = kiln({"run", path("job.yaml"), "--device", "cpu"});
  EXPECT_EQ(result.code, kExitDone) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr(" ok · "));
}

TEST_P(Example, AgreesAsGraphsOnTheCpu) {
  if (GetParam().starts_with("foreign_")) GTEST_SKIP() << "a kernel or two, launched once";
  const CliResult result = kiln({"run", job(false), "--device", "cpu", "--set", "graph=true"});
  EXPECT_EQ(result.code, kExitDone) << result.out << result.err;
}

TEST_P(Example, CompilesForFourArchitectures) {
  const CliResult result = kiln({"compile", job(false), "--arch", "sm_80,sm_90,sm_90a,sm_100"});
  if (result.code == kExitEnvironment) GTEST_SKIP() << result.err;
  const bool no_headers = result.out.find("pip install nvidia-cuda-") != std::string::npos;
  if (result.code == kExitFailed && no_headers) GTEST_SKIP() << "CUDA's headers are not here: " << result.out;
  EXPECT_EQ(result.code, kExitDone) << result.out << result.err;
  for (const char* arch : {"cuda:sm_80\n", "cuda:sm_90\n", "cuda:sm_90a\n", "cuda:sm_100\n"}) {
    EXPECT_THAT(result.out, HasSubstr(arch));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Example, ::testing::ValuesIn(examples()),
                         [](const auto& variant) { return variant.param; });

TEST(Examples, AreAtLeastSixteen) {
  EXPECT_GE(examples().size(), 16U);
}

/// A header beside the text is part of the key.
TEST_F(CliTest, AChangedHeaderBesideAForeignKernelIsCompiledAgain) {
  const std::string job = copy_example("foreign_convolution", folder_, *files_);
  const std::vector<std::string> run = {"run", job, "--device", "cpu"};
  EXPECT_THAT(kiln(run).out, HasSubstr("4 compiled, 0 from disk"));
  EXPECT_THAT(kiln(run).out, HasSubstr("0 compiled, 4 from disk"));
  const std::string header = *files_->read_file(path("kernels/mirror.h"));
  write("kernels/mirror.h", header + "// changed\n");
  EXPECT_THAT(kiln(run).out, HasSubstr("3 compiled, 1 from disk"));
}

}  // namespace
}  // namespace kiln::test
