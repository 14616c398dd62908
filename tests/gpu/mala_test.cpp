// The fused network on the GPU against the network in double.
#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "cli/workload_case.h"
#include "gpu/gpu_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class GpuMala : public CliTest, public ::testing::WithParamInterface<WorkloadCase> {
 protected:
  void SetUp() override {
    const auto backend = make_cuda_backend(cuda_places(""), *files_);
    if (const std::string problem = backend->problem(); !problem.empty()) GTEST_SKIP() << problem;
  }
};

TEST_P(GpuMala, AgreesWithTheNetworkInDouble) {
  const CliResult result = kiln({"run", write("job.yaml", job_text(GetParam(), "cuda:0"))});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("cuda:0"));
}

INSTANTIATE_TEST_SUITE_P(
    All, GpuMala,
    ::testing::Values(WorkloadCase{"Types", "mala",
                                   "sweep: {rows: [1, 1000, 70001], T: [float, half, bfloat16], operation: "
                                   "[fma, mma, split, halves]}\n"},
                      WorkloadCase{"Sizes", "mala",
                                   "set: {rows: 1001}\nsweep: {inputs: [1, 96], hidden: [7, 128], outputs: "
                                   "[1, 17], T: [float, half], operation: [fma, mma, halves]}\n"},
                      WorkloadCase{
                          "Shapes", "mala",
                          "set: {rows: 20001, blocks: 9}\nsweep: {operation: [fma, mma, split, halves], "
                          "each_rows: [4, 16, 32], block: [128, 256], stages: [1, 2, 3], across: [5, "
                          "25]}\n"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace kiln::test
