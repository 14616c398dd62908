// Every variant and method of the workloads on the GPU against its references, at sizes that no tile divides
// and at the papers' sizes.
#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "cli/workload_case.h"
#include "gpu/gpu_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class GpuVariants : public CliTest, public ::testing::WithParamInterface<WorkloadCase> {
 protected:
  void SetUp() override {
    const auto backend = make_cuda_backend(cuda_places(""), *files_);
    if (const std::string problem = backend->problem(); !problem.empty()) GTEST_SKIP() << problem;
  }
};

TEST_P(GpuVariants, AgreeWithTheirReferences) {
  const std::string job = write("job.yaml", job_text(GetParam(), "cuda:0"));
  const CliResult result = kiln({"run", job});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("cuda:0"));
}

INSTANTIATE_TEST_SUITE_P(
    All, GpuVariants,
    ::testing::Values(
        WorkloadCase{
            "StencilOddSizes", "stencil7",
            "set: {ny: 37, nz: 41}\n"
            "sweep: {nx: [3, 131, 200], implementation: [tuned, paper], T: [double, float], bind.all: [run, "
            "compile]}\n"},
        WorkloadCase{
            "StencilMarch", "stencil7",
            "set: {method: march, nx: 200, ny: 37, nz: 41, tile_z: 9}\n"
            "sweep: {T: [double, float], vector: [1, 2, 4, 8], rows: [1, 2, 4], ahead: [1, 2, 4]}\n"},
        WorkloadCase{"StencilOddBlocks", "stencil7",
                     "set: {method: march, nx: 200, ny: 37, nz: 41, block_x: 12, block_y: 5, tile_z: 7}\n"
                     "sweep: {T: [double, float]}\n"},
        WorkloadCase{"StencilStores", "stencil7",
                     "set: {method: march, nx: 200, ny: 37, nz: 41}\n"
                     "sweep: {T: [double, float], stores: [plain, streaming], rows: [1, 2]}\n"},
        WorkloadCase{"StencilResident", "stencil7",
                     "set: {method: march, nx: 200, ny: 37, nz: 41}\n"
                     "sweep: {T: [double, float], resident: [0, 2, 6], launch_bounds: [true, false]}\n"},
        WorkloadCase{"StencilFewRows", "stencil7",
                     "set: {nx: 200, nz: 41}\nsweep: {T: [double, float], ny: [3, 4, 5, 6], bind.all: [run, "
                     "compile]}\n"},
        WorkloadCase{"StencilFetch", "stencil7",
                     "set: {method: march, nx: 200, ny: 37, nz: 41, tile_z: 9}\n"
                     "sweep: {T: [double, float], vector: [1, 2, 4, 8], fetch: [64, 128, 256]}\n"},
        WorkloadCase{"StencilStrips", "stencil7",
                     "set: {method: march, nx: 200, ny: 37, nz: 41, block_y: 3, tile_z: 5}\n"
                     "sweep: {T: [double, float], strip: [1, 5, 11, 100], bind.strip: [run, compile]}\n"},
        WorkloadCase{"StencilClusters", "stencil7",
                     "set: {method: march, nx: 200, ny: 37, nz: 41, block_y: 3, tile_z: 5}\n"
                     "sweep: {T: [double, float], rows: [1, 2], cluster_y: [1, 2, 4], strip: [1, 4, 100]}\n"},
        WorkloadCase{"StencilHalves", "stencil7",
                     "set: {method: halves, nx: 200, ny: 37, nz: 41}\n"
                     "sweep: {T: [double, float], block_x: [12, 64], block_y: [3, 4], rows: [1, 2], stay: "
                     "[1, 100, 5000]}\n"},
        WorkloadCase{"StencilHalvesInStrips", "stencil7",
                     "set: {method: halves, nx: 200, ny: 97, nz: 41, block_y: 2, tile_z: 5}\n"
                     "sweep: {T: [double, float], strip: [1, 5, 2147483647], bind.all: [run, compile]}\n"},
        WorkloadCase{
            "StencilHalvesFewRows", "stencil7",
            "set: {method: halves, nx: 200, nz: 41}\nsweep: {T: [double, float], ny: [3, 4, 5, 9]}\n"},
        WorkloadCase{"StencilPaperSize", "stencil7",
                     "set: {nx: 512}\nsweep: {implementation: [tuned, paper], T: [double, float]}\n"},
        WorkloadCase{"StencilPaperSizeByMethod", "stencil7",
                     "set: {nx: 512}\nsweep: {method: [march, halves], T: [double, float]}\n"},
        WorkloadCase{
            "StreamOddSizes", "babelstream",
            "sweep: {n: [1, 1000003], implementation: [tuned, paper], T: [double, float], bind.all: [run, "
            "compile]}\n"},
        WorkloadCase{"StreamPacks", "babelstream",
                     "set: {n: 1000003}\n"
                     "sweep: {pack: [1, 2, 4], items: [1, 4], blocks: [0, 132], loads: [plain, streaming], "
                     "stores: [plain, streaming], dot_order: [ordered, atomic]}\n"},
        WorkloadCase{"StreamFetch", "babelstream",
                     "set: {n: 1000003}\nsweep: {T: [half, float, double], fetch: [64, 128, 256]}\n"},
        WorkloadCase{"StreamPaperSize", "babelstream",
                     "set: {n: 33554432}\nsweep: {implementation: [tuned, paper]}\n"},
        WorkloadCase{
            "BudePoses", "minibude",
            "set: {nposes: 1001}\n"
            "sweep: {implementation: [tuned, paper], ppwi: [1, 2, 4, 8, 16], fast_math: [false, true]}\n"},
        WorkloadCase{"BudeManyPoses", "minibude",
                     "set: {nposes: 1001, fast_math: true}\nsweep: {implementation: [tuned, paper], ppwi: "
                     "[32, 64, 128]}\n"},
        WorkloadCase{
            "BudeBlocks", "minibude",
            "set: {nposes: 1001, ppwi: 2, natpro: 301}\nsweep: {wg: [1, 32, 96, 1024], split: [1, 8, 32], "
            "tile: [100, 301]}\n"},
        WorkloadCase{"BudeUnrolled", "minibude",
                     "set: {nposes: 1001, natpro: 301}\n"
                     "sweep: {unroll: [2, 4, 8], split: [1, 8], tile: [100, 301], resident: [0, 2]}\n"},
        WorkloadCase{"BudeManyTypes", "minibude",
                     "set: {nposes: 257, ntypes: 300}\nsweep: {implementation: [tuned, paper]}\n"},
        WorkloadCase{"BudePaperSize", "minibude",
                     "set: {nposes: 65536}\nsweep: {implementation: [tuned, paper]}\n"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace kiln::test
