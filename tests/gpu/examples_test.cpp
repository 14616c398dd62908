// The jobs of configs/examples on the GPU, by CUDA and by the HIP back end over the test shim: every check.
#include "cli/examples.h"

#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "gpu/gpu_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class GpuExample : public CliTest, public ::testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    const auto backend = make_cuda_backend(cuda_places(""), *files_);
    if (const std::string problem = backend->problem(); !problem.empty()) GTEST_SKIP() << problem;
  }
};

TEST_P(GpuExample, AgreesWithItsReference) {
  const std::string job = copy_example(GetParam(), folder_, *files_);
  const CliResult result = kiln({"run", job, "--device", "cuda:0"});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("cuda:0"));
}

/// Programs: loops, swaps and reads go by the stream, the copies and the module of the back end.
TEST_P(GpuExample, AgreesWithItsReferenceByTheHipBackEnd) {
  const std::string job = copy_example(GetParam(), folder_, *files_);
  const CliResult result =
      kiln({"run", job, "--device", "hip:0", "--hip", KILN_HIP_SHIM, "--hiprtc", KILN_HIP_SHIM});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("hip:0"));
}

/// By both back ends.
TEST_P(GpuExample, AgreesAsGraphs) {
  if (GetParam().starts_with("foreign_")) GTEST_SKIP() << "a kernel or two, launched once";
  const std::string job = copy_example(GetParam(), folder_, *files_, false);
  const CliResult result = kiln({"run", job, "--device", "cuda:0,hip:0", "--set", "graph=true", "--hip",
                                 KILN_HIP_SHIM, "--hiprtc", KILN_HIP_SHIM});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
}

INSTANTIATE_TEST_SUITE_P(All, GpuExample, ::testing::ValuesIn(examples()),
                         [](const auto& variant) { return variant.param; });

}  // namespace
}  // namespace kiln::test
