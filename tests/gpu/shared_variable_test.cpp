#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "cli/shared_variable_job.h"
#include "cli/struct_argument_job.h"
#include "gpu/gpu_fixture.h"

namespace kiln::test {
namespace {

TEST_F(CliTest, AVariableOfATextIsOneForInputStepAndReference) {
  const auto backend = make_cuda_backend(cuda_places(""), *files_);
  if (const std::string problem = backend->problem(); !problem.empty()) GTEST_SKIP() << problem;
  write("k.cu", kSharedVariableText);
  const CliResult result = kiln({"run", write("job.yaml", kSharedVariableJob), "--device", "cuda"});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, ::testing::HasSubstr("1 ok"));
}

TEST_F(CliTest, KernelsTakeStructsByValueOnAGpu) {
  const auto backend = make_cuda_backend(cuda_places(""), *files_);
  if (const std::string problem = backend->problem(); !problem.empty()) GTEST_SKIP() << problem;
  write("k.cu", kStructArgumentText);
  const std::string job = write("job.yaml", kStructArgumentJob);
  for (const bool graph : {false, true}) {
    const CliResult result =
        kiln({"run", job, "--device", "cuda", "--set", graph ? "graph=true" : "graph=false"});
    EXPECT_EQ(result.code, 0) << result.out << result.err;
    EXPECT_THAT(result.out, ::testing::HasSubstr("1 ok"));
  }
}

}  // namespace
}  // namespace kiln::test
