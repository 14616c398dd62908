#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "cli/shared_variable_job.h"
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

}  // namespace
}  // namespace kiln::test
