// Convolutions on the GPU against direct sums in double.
#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "cli/workload_case.h"
#include "gpu/gpu_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class GpuConv2d : public CliTest, public ::testing::WithParamInterface<WorkloadCase> {
 protected:
  void SetUp() override {
    const auto backend = make_cuda_backend(cuda_places(""), *files_);
    if (const std::string problem = backend->problem(); !problem.empty()) GTEST_SKIP() << problem;
  }
};

TEST_P(GpuConv2d, AgreesWithDirectSums) {
  const CliResult result = kiln({"run", write("job.yaml", job_text(GetParam(), "cuda:0"))});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("cuda:0"));
}

INSTANTIATE_TEST_SUITE_P(
    All, GpuConv2d,
    ::testing::Values(
        WorkloadCase{"Layouts", "conv2d",
                     "set: {h: 19, w: 33, c: 24, filters: 40, batch: 3}\nsweep: {layout: "
                     "[nhwc, nchw], T: [float, half, "
                     "bfloat16], operation: [fma, mma]}\n"},
        WorkloadCase{"Filters", "conv2d",
                     "set: {h: 33, c: 3, filters: 64, relu: true, T: half}\nsweep: {filter_h: "
                     "[1, 3, 7], stride: [1, 2], "
                     "dilation: [1, 2]}\n"},
        WorkloadCase{"Groups", "conv2d",
                     "set: {h: 16, c: 64, filters: 96}\nsweep: {groups: [2, 4], T: [float, "
                     "half], layout: [nhwc, nchw]}\n"},
        WorkloadCase{"Patches", "conv2d",
                     "set: {batch: 3, h: 19, w: 23, c: 128, filters: 80, operation: wgmma, "
                     "relu: true}\nsweep: {T: [half, float], filter_h: [1, 3], stride: [1, "
                     "2], groups: [1, 2], dilation: [1, 2]}\n"},
        WorkloadCase{"FewChannels", "conv2d",
                     "set: {batch: 3, h: 37, w: 51, filters: 40, relu: true}\nsweep: {T: [half, bfloat16, "
                     "float], c: [1, 2, 3, 4], filter_h: [3, 7], stride: [1, 2, 4]}\n"},
        WorkloadCase{"FiltersOfAnyNumber", "conv2d",
                     "set: {T: half, h: 13, c: 64, batch: 5, operation: wgmma}\nsweep: {filters: [7, 60, "
                     "65, 264], splits: [1, 2], relu: [true, false], filter_h: [1, 3]}\n"},
        WorkloadCase{"FmaOfPatches", "conv2d",
                     "set: {batch: 3, h: 19, w: 23, c: 128, filters: 80, operation: fma_boxes, "
                     "T: float, relu: true}\nsweep: {filter_h: [1, 3], stride: [1, 2], groups: "
                     "[1, 2]}\n"},
        WorkloadCase{"SplitByWarpgroups", "conv2d",
                     "set: {batch: 3, h: 19, w: 23, c: 128, filters: 80, operation: wgmma_split, "
                     "T: float, relu: true}\nsweep: {filter_h: [1, 3], stride: [1, 2], groups: "
                     "[1, 2], dilation: [1, 2], tile_m: [128, 192]}\n"},
        WorkloadCase{"PartsOfDepth", "conv2d",
                     "set: {batch: 3, h: 9, c: 256, filters: 200, relu: true}\nsweep: {T: [half, "
                     "float], operation: [wgmma, wgmma_split, fma_boxes], groups: [1, 2], splits: "
                     "[2, 3, 8]}\n"},
        WorkloadCase{"Teams", "conv2d",
                     "set: {T: half, h: 19, w: 23, c: 128, filters: 80, teams: 2, splits: 1, relu: "
                     "true}\nsweep: {batch: [3, 40], filter_h: [1, 3], stride: [1, 2], cluster_m: [1, "
                     "2], tile_m: [64, 128]}\n"},
        WorkloadCase{"Layers", "conv2d",
                     "set: {T: half}\nsweep: {h: [56, 14], c: [64, 256], filters: [64, 256]}\n"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace kiln::test
