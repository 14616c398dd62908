// Layers of networks on the GPU against the same layers in double, and ResNet18 made of them.
#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "cli/workload_case.h"
#include "gpu/gpu_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class GpuLayers : public CliTest, public ::testing::WithParamInterface<WorkloadCase> {
 protected:
  void SetUp() override {
    const auto backend = make_cuda_backend(cuda_places(""), *files_);
    if (const std::string problem = backend->problem(); !problem.empty()) GTEST_SKIP() << problem;
  }
};

TEST_P(GpuLayers, AgreeWithSumsInDouble) {
  const CliResult result = kiln({"run", write("job.yaml", job_text(GetParam(), "cuda:0"))});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("cuda:0"));
}

INSTANTIATE_TEST_SUITE_P(
    All, GpuLayers,
    ::testing::Values(
        WorkloadCase{
            "Residuals", "layers",
            "set: {h: 19, w: 17, batch: 3, filters: 72, add: true}\nsweep: {c: [3, 24], T: [float, half, "
            "bfloat16], operation: [fma, mma, split]}\n"},
        WorkloadCase{"PartsOfTheDepth", "layers",
                     "set: {h: 7, c: 128, filters: 200}\nsweep: {splits: [1, 2, 7], T: [float, half], "
                     "operation: [fma, mma, split], add: [false, true]}\n"},
        WorkloadCase{"LinesOfFilters", "layers",
                     "set: {h: 45, w: 46, c: 4, filters: 64, filter_h: 7, filter_w: 8, padding: 0, stride: "
                     "2}\nsweep: {T: [float, half]}\n"},
        WorkloadCase{
            "Warpgroups", "layers",
            "set: {h: 15, w: 13, c: 128, filters: 72, batch: 3, operation: wgmma, add: true}\nsweep: "
            "{T: [float, half], stride: [1, 2], splits: [1, 3], cluster_m: [1, 2], tile_m: [64, "
            "128]}\n"},
        WorkloadCase{"WarpgroupsBySumsOfTwo", "layers",
                     "set: {h: 15, w: 13, c: 96, filters: 72, batch: 3, operation: wgmma_split, add: "
                     "true}\nsweep: {stride: [1, 2], splits: [1, 3], filter_h: [1, 3], tile_n: [64, 128]}\n"},
        WorkloadCase{"ResNet18BySumsOfTwo", "resnet18",
                     "set: {image_h: 64, batch: 5, graph: true, T: float}\nsweep: {operation: [split, "
                     "wgmma_split]}\n"},
        WorkloadCase{"ResNet18ByWarpgroups", "resnet18",
                     "set: {image_h: 64, batch: 3, graph: true, operation: wgmma}\nsweep: {T: [float, "
                     "half]}\n"},
        WorkloadCase{"ResNet18", "resnet18",
                     "set: {image_h: 64, batch: 3, graph: true}\nsweep: {T: [float, half]}\n"},
        WorkloadCase{"ResNet18ByParts", "resnet18",
                     "set: {image_h: 64, batch: 2, graph: true, T: float}\nsweep: {operation: [mma, "
                     "split]}\n"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace kiln::test
