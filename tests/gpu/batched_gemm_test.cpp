// Products of many small matrices on the GPU, by each method.
#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "cli/workload_case.h"
#include "gpu/gpu_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class GpuBatchedGemm : public CliTest, public ::testing::WithParamInterface<WorkloadCase> {
 protected:
  void SetUp() override {
    const auto backend = make_cuda_backend(cuda_places(""), *files_);
    if (const std::string problem = backend->problem(); !problem.empty()) GTEST_SKIP() << problem;
  }
};

TEST_P(GpuBatchedGemm, AgreesWithSumsInDouble) {
  const CliResult result = kiln({"run", write("job.yaml", job_text(GetParam(), "cuda:0"))});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("cuda:0"));
}

INSTANTIATE_TEST_SUITE_P(
    All, GpuBatchedGemm,
    ::testing::Values(
        WorkloadCase{"Small", "batched_gemm",
                     "set: {batch: 300, beta: 1}\nsweep: {T: [float, double, half], m: [1, 2, 3, 5, 8, 16, "
                     "31, 64]}\n"},
        WorkloadCase{"AsPublished", "batched_gemm",
                     "sweep: {T: [float, double], m: [2, 4, 8, 16, 32], beta: [0, 1]}\n"},
        WorkloadCase{
            "Oblong", "batched_gemm",
            "set: {batch: 1000, alpha: -2, n: 6, k: 10}\nsweep: {m: [1, 7], async: [false, true], pad: [0, "
            "1]}\n"},
        WorkloadCase{
            "SizesAtRunTime", "batched_gemm",
            "set: {batch: 1000, bind.all: run, method: shared}\nsweep: {T: [float, double], m: [2, 9, "
            "32]}\n"},
        WorkloadCase{
            "Strides", "batched_gemm",
            "set: {batch: 77, m: 4, n: 8, k: 2, stride_a: 11, stride_b: 18, stride_c: 34, vector: 2}\n"
            "sweep: {method: [registers, shared]}\n"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace kiln::test
