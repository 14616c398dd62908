// Products of matrices on the GPU: types, orders, shapes that no tile divides, splits.
#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "cli/copied_kernels.h"
#include "cli/workload_case.h"
#include "gpu/gpu_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class GpuGemm : public CliTest, public ::testing::WithParamInterface<WorkloadCase> {
 protected:
  void SetUp() override {
    const auto backend = make_cuda_backend(cuda_places(""), *files_);
    if (const std::string problem = backend->problem(); !problem.empty()) GTEST_SKIP() << problem;
  }
};

TEST_P(GpuGemm, AgreesWithSumsInDouble) {
  const CliResult result = kiln({"run", write("job.yaml", job_text(GetParam(), "cuda:0"))});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("cuda:0"));
}

// Before each product `parts` is cleared: a launch that adds parts before all are stored adds zeros, not the
// parts of the product before.
TEST_F(GpuGemm, AddsThePartsOfADepthWhenAllAreStored) {
  const auto here = [this](const std::string& name, const std::string& text) { return write(name, text); };
  const std::string first = "      - {kernel: gemm_fma, as: gemm,";
  copy_kernels(here, *files_, "gemm", "gemm_cleared",
               {{"gemm.yaml", {{first, "      - {fill: {buffer: parts, value: 0}}\n" + first}}}});
  const std::string head = "workload: gemm_cleared\ndevice: cuda:0\nmeasure: false\n";
  const std::pair<std::string, std::string> jobs[] = {
      {"set: {m: 200, n: 296, k: 5008, trans_b: true, splits: 7, times: 20}\n"
       "sweep: {T: [float, double, half, fp8_e4m3], graph: [false, true]}\n",
       "8 ok"},
      {"set: {m: 200, n: 296, k: 5008, T: float, operation: fma, splits: 7, times: 20}\n"
       "sweep: {async: [false, true], graph: [false, true]}\n",
       "4 ok"}};
  for (const auto& [lines, all] : jobs) {
    const CliResult result = kiln({"run", write("job.yaml", head + lines)});
    EXPECT_EQ(result.code, 0) << result.out << result.err;
    EXPECT_THAT(result.out, HasSubstr(all));
  }
}

// Each variant has to run: none may be left out by a constraint.
TEST_F(GpuGemm, StoresWideLines) {
  const CliResult result =
      kiln({"run", write("job.yaml",
                         "workload: gemm\ndevice: cuda:0\nmeasure: false\n"
                         "set: {m: 1300, n: 2056, k: 256, trans_b: true, splits: 1, stages: 3, operation: "
                         "wgmma}\nsweep: {T: [half, fp8_e4m3], tile_n: [128, 192, 256]}\n")});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("6 ok"));
}

TEST_F(GpuGemm, StoresLinesOfScaledProducts) {
  const CliResult result =
      kiln({"run", write("job.yaml",
                         "workload: gemm_scaled\ndevice: cuda:0\nmeasure: false\n"
                         "set: {m: 3000, n: 1112, k: 656, tile_n: 128, operation: wgmma}\n"
                         "sweep: {tile_m: [64, 128, 192]}\n")});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("3 ok"));
}

INSTANTIATE_TEST_SUITE_P(
    All, GpuGemm,
    ::testing::Values(
        WorkloadCase{"Matrices", "gemm",
                     "set: {m: 333, n: 517, k: 1001, alpha: 0.5, beta: -2, operation: mma}\nsweep: {T: "
                     "[float, double, "
                     "half, bfloat16], trans_a: [false, true], trans_b: [false, true]}\n"},
        WorkloadCase{"Aligned", "gemm",
                     "set: {m: 512, n: 640, k: 768, operation: mma}\nsweep: {T: [float, double, "
                     "half, bfloat16, fp8_e4m3], trans_a: [false, true], trans_b: [false, true]}\n"},
        WorkloadCase{"Fma", "gemm",
                     "set: {m: 333, n: 517, k: 260, operation: fma, beta: 1}\nsweep: {T: [float, double, "
                     "half], trans_a: "
                     "[false, true], trans_b: [false, true], async: [false, true]}\n"},
        WorkloadCase{"Shapes", "gemm",
                     "sweep: {T: [float, half], m: [1, 16, 1000], n: [1, 129], k: [1, 4096]}\n"},
        WorkloadCase{
            "Splits", "gemm",
            "set: {m: 200, n: 300, k: 5000, beta: 1}\nsweep: {T: [float, double, half], splits: [2, 7]}\n"},
        WorkloadCase{"Stages", "gemm",
                     "set: {m: 512, operation: mma, T: half}\nsweep: {stages: [2, 4], tile_k: [32, 64]}\n"},
        WorkloadCase{"Warpgroups", "gemm",
                     "set: {m: 1000, n: 1112, k: 1208, alpha: 0.5, beta: -2, operation: wgmma}\nsweep: {T: "
                     "[half, bfloat16], trans_a: [false, true], trans_b: [false, true]}\n"},
        WorkloadCase{"Clusters", "gemm",
                     "set: {m: 1000, n: 1104, k: 1216, trans_b: true, operation: wgmma}\nsweep: {T: [half, "
                     "float, fp8_e4m3], cluster_m: [1, 2], cluster_n: [1, 2], splits: [1, 3]}\n"},
        WorkloadCase{"TallWarpgroups", "gemm",
                     "set: {m: 640, n: 520, k: 512, T: half, operation: wgmma, tile_m: 256, each_m: 128, "
                     "stages: 3}\nsweep: {tile_n: [64, 128], trans_a: [false, true], trans_b: [false, "
                     "true]}\n"},
        WorkloadCase{"Turned", "gemm",
                     "set: {operation: wgmma, T: float, k: 1204, beta: 1}\nsweep: {m: [1000, 2100], trans_a: "
                     "[false, true], trans_b: [false, true], tile_m: [64, 128], cluster_m: [1, 2]}\n"},
        // Lines of 16 bytes through shared memory, and columns that are no multiple of 8.
        WorkloadCase{"HalfResults", "gemm",
                     "set: {m: 1003, k: 1216, trans_b: true, operation: wgmma, alpha: -3}\nsweep: {T: [half, "
                     "bfloat16, fp8_e4m3], n: [1, 70, 1111, 1112], beta: [0, 1]}\n"},
        WorkloadCase{"OverlappingLaunches", "gemm",
                     "set: {m: 600, k: 1000, graph: true, times: 20}\nsweep: {T: [float, double, half], "
                     "trans_b: [false, true], splits: [1, 2]}\n"},
        WorkloadCase{
            "FmaBoxes", "gemm",
            "set: {operation: fma_boxes, T: float, m: 1000, n: 1112, k: 1204, alpha: 0.5, beta: -2}\n"
            "sweep: {trans_a: [false, true], trans_b: [false, true], splits: [1, 2], cluster_m: [1, 2]}\n"},
        // A launch before transposes operands of 1 byte, and a in float; rows that are no multiple of 16
        // bytes.
        WorkloadCase{
            "TransposedBytes", "gemm",
            "set: {operation: wgmma, T: fp8_e4m3, m: 1001, n: 515, k: 1232, alpha: 0.5, beta: -2}\n"
            "sweep: {trans_a: [false, true], trans_b: [false, true], cluster_m: [1, 2], splits: [1, 2]}\n"},
        WorkloadCase{
            "TransposedFloats", "gemm",
            "set: {trans_a: true, T: float, n: 1112, k: 1204, beta: 1, times: 3}\nsweep: {operation: "
            "[wgmma, wgmma_split], m: [1001, 2100], graph: [false, true]}\n"},
        WorkloadCase{"SplitByWarpgroups", "gemm",
                     "set: {operation: wgmma_split, T: float, k: 4100, alpha: 0.5, beta: -2, n: 1112}\n"
                     "sweep: {m: [1000, 2100], trans_b: [false, true], cluster_m: [1, 2], splits: [1, 3]}\n"},
        WorkloadCase{
            "SplitTiles", "gemm",
            "set: {operation: wgmma_split, T: float, m: 600, n: 712, k: 516, trans_b: true, beta: 1}\n"
            "sweep: {trans_a: [false, true], tile_m: [64, 128, 192], tile_n: [64, 128]}\n"},
        WorkloadCase{
            "MmaBoxes", "gemm",
            "set: {operation: mma_boxes, T: double, m: 1000, n: 1112, k: 602, alpha: 0.5, beta: -2}\n"
            "sweep: {trans_a: [false, true], trans_b: [false, true], splits: [1, 2], cluster_m: [1, 2]}\n"},
        // Sums are stored while other warps read the tiles that copies will overwrite next. Without the fence
        // of run_boxes before a copy, 5 of these 6 products were wrong on an H100.
        WorkloadCase{"MmaBoxesBesideStores", "gemm",
                     "set: {operation: mma_boxes, T: double, tile_m: 64, tile_n: 64, each_m: 16, each_n: 32, "
                     "stages: 3, splits: 2}\nsweep: {trans_a: [false, true], m: [768, 1280, 1536]}\n"},
        WorkloadCase{"Scaled", "gemm_scaled",
                     "set: {m: 1000, n: 1112, k: 1200, beta: 1}\nsweep: {operation: [wgmma, mma, fma], "
                     "splits: [1, 2], Out: [bfloat16, float]}\n"},
        WorkloadCase{"ScaledShapes", "gemm_scaled",
                     "set: {operation: wgmma}\nsweep: {m: [1, 129, 1000], n: [64, 1111], k: [16, 656, 1200], "
                     "tile_m: [64, 128, 192]}\n"},
        WorkloadCase{"ScaledClusters", "gemm_scaled",
                     "set: {m: 1000, n: 520, k: 1552, operation: wgmma, graph: true, times: 20}\nsweep: "
                     "{cluster_m: [1, 2], cluster_n: [1, 2], tile_m: [128, 192], tile_n: [64, 128]}\n"},
        WorkloadCase{"Streamed", "gemm",
                     "set: {m: 1500, n: 2312, k: 1208, alpha: 0.5, beta: -2, operation: wgmma, stream: "
                     "true}\nsweep: {T: [half, bfloat16], trans_a: [false, true], trans_b: [false, true], "
                     "cluster_m: [1, 2]}\n"},
        WorkloadCase{
            "StreamedDepth", "gemm",
            "set: {m: 200, n: 312, k: 20008, T: half, operation: wgmma, stream: true, graph: true}\n"},
        WorkloadCase{"StreamedFloat", "gemm",
                     "set: {m: 1500, n: 2312, k: 1204, beta: 1, T: float, stream: true}\nsweep: {operation: "
                     "[fma_boxes, wgmma, wgmma_split], trans_a: [false, true], trans_b: [false, true]}\n"},
        WorkloadCase{"StreamedDouble", "gemm",
                     "set: {m: 1500, n: 1112, k: 602, beta: 1, T: double, operation: mma_boxes, stream: "
                     "true}\nsweep: {trans_a: [false, true], trans_b: [false, true], cluster_m: [1, 2]}\n"},
        WorkloadCase{
            "StreamedScaled", "gemm_scaled",
            "set: {m: 1500, n: 1112, k: 1200, beta: 1, operation: wgmma, stream: true}\nsweep: {Out: "
            "[bfloat16, float], cluster_m: [1, 2]}\n"},
        WorkloadCase{"Large", "gemm", "set: {m: 4096}\nsweep: {T: [float, double, half, bfloat16]}\n"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace kiln::test
