// Transposes on the GPU, bit for bit: each size of elements, shapes that no tile divides, both methods.
#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "cli/workload_case.h"
#include "gpu/gpu_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class GpuTranspose : public CliTest, public ::testing::WithParamInterface<WorkloadCase> {
 protected:
  void SetUp() override {
    const auto backend = make_cuda_backend(cuda_places(""), *files_);
    if (const std::string problem = backend->problem(); !problem.empty()) GTEST_SKIP() << problem;
  }
};

TEST_P(GpuTranspose, IsRightBitForBit) {
  const CliResult result = kiln({"run", write("job.yaml", job_text(GetParam(), "cuda:0"))});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("cuda:0"));
}

INSTANTIATE_TEST_SUITE_P(
    All, GpuTranspose,
    ::testing::Values(
        WorkloadCase{
            "Tiles", "transpose",
            "set: {batch: 3}\nsweep: {bytes: [1, 2, 4, 8, 16], rows: [1, 63, 144, 1000], columns: [97, "
            "256], stay: [false, true]}\n"},
        WorkloadCase{
            "PacksThatDoNotDivide", "transpose",
            "set: {pack: 4, batch: 2}\nsweep: {bytes: [1, 2, 4], rows: [63, 200], columns: [97, 300], "
            "stores: [plain, streaming]}\n"},
        WorkloadCase{"Boxes", "transpose",
                     "set: {method: tma, batch: 3}\nsweep: {bytes: [1, 2, 4, 8, 16], rows: [16, 144, 1008], "
                     "columns: [48, 256, 4000]}\n"},
        WorkloadCase{"BoxesOfOneStage", "transpose",
                     "set: {method: tma, rows: 1000, columns: 1500}\nsweep: {stages: [1, 3], blocks: [1, "
                     "100], tile_rows: [32, 128]}\n"},
        WorkloadCase{"Hints", "transpose",
                     "set: {rows: 1000, columns: 1500}\nsweep: {bytes: [1, 2, 4, 8, 16], loads: [plain, "
                     "kept], stores: [plain, streaming], group: [1, 1000], fronts: [1, 3, 16]}\n"},
        WorkloadCase{
            "Paper", "transpose",
            "set: {implementation: paper, rows: 333, columns: 1500}\nsweep: {bytes: [1, 2, 4, 8, 16], "
            "method: [padded, naive]}\n"},
        WorkloadCase{"LargerThanFourGigabytes", "transpose",
                     "set: {rows: 32768, columns: 32784}\nsweep: {method: [tile, tma]}\n"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace kiln::test
