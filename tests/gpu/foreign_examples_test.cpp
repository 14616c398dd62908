// Kernels that were written without Kiln in mind, on the GPU: every check of each example.
#include "cli/foreign_examples.h"

#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "gpu/gpu_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class GpuForeignExample : public CliTest, public ::testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    const auto backend = make_cuda_backend(cuda_places(""), *files_);
    if (const std::string problem = backend->problem(); !problem.empty()) GTEST_SKIP() << problem;
  }
};

TEST_P(GpuForeignExample, AgreesWithItsReference) {
  const std::string job = copy_foreign_example(GetParam(), folder_, *files_);
  const CliResult result = kiln({"run", job, "--device", "cuda:0"});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("cuda:0"));
}

INSTANTIATE_TEST_SUITE_P(All, GpuForeignExample, ::testing::ValuesIn(foreign_examples()),
                         [](const auto& variant) { return variant.param; });

}  // namespace
}  // namespace kiln::test
