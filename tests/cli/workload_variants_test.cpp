// Every variant and method of the workloads on the CPU against its references, at sizes that no tile divides.
#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "cli/workload_case.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class WorkloadVariants : public CliTest, public ::testing::WithParamInterface<WorkloadCase> {};

TEST_P(WorkloadVariants, AgreeWithTheirReferences) {
  const std::string job = write("job.yaml", job_text(GetParam(), "cpu"));
  const CliResult result = kiln({"run", job});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("ok"));
}

INSTANTIATE_TEST_SUITE_P(
    All, WorkloadVariants,
    ::testing::Values(
        WorkloadCase{"Stencil", "stencil7",
                     "set: {nx: 22, ny: 13, nz: 17}\nsweep: {implementation: [tuned, paper], bind.all: [run, "
                     "compile]}\n"},
        WorkloadCase{
            "StencilMarch", "stencil7",
            "set: {method: march, nx: 22, ny: 13, nz: 17, block_x: 4, block_y: 2, tile_z: 5, strip: 1}\n"
            "sweep: {T: [double, float], vector: [1, 2], ahead: [1, 3], rows: [1, 2, 4]}\n"},
        WorkloadCase{
            "StencilHalves", "stencil7",
            "set: {method: halves, nx: 22, nz: 17, block_x: 4, block_y: 2, tile_z: 5}\n"
            "sweep: {ny: [3, 5, 23], rows: [1, 2], stay: [1, 3, 1000], strip: [1, 2, 2147483647]}\n"},
        WorkloadCase{"StencilStripsOfMoreRowsThanThereAre", "stencil7",
                     "set: {nx: 22, ny: 13, nz: 22, block_x: 4, block_y: 3, tile_z: 5}\n"
                     "sweep: {method: [march, halves], strip: [1073741824, 2147483647], bind.strip: [run, "
                     "compile]}\n"},
        WorkloadCase{"Stream", "babelstream",
                     "set: {n: 10007}\nsweep: {implementation: [tuned, paper], T: [double, float, half]}\n"},
        WorkloadCase{"StreamPacks", "babelstream",
                     "set: {method: packs, n: 10007, block: 8, dot_block: 8, dot_grid: 20}\n"
                     "sweep: {pack: [1, 2], blocks: [0, 7], dot_order: [ordered, atomic]}\n"},
        WorkloadCase{"StreamHalf", "babelstream",
                     "set: {method: packs, T: half, n: 10007, block: 8, dot_block: 8, dot_grid: 20}\n"
                     "sweep: {pack: [2, 8], dot_order: [ordered, atomic]}\n"},
        WorkloadCase{"Bude", "minibude",
                     "set: {nposes: 131, natpro: 101, ppwi: 4}\nsweep: {implementation: [tuned, paper], "
                     "fast_math: [false, "
                     "true]}\n"},
        WorkloadCase{
            "BudeParts", "minibude",
            "set: {method: parts, nposes: 131, natpro: 101, ppwi: 2, wg: 12}\nsweep: {split: [1, 4], tile: "
            "[40, 101]}\n"},
        WorkloadCase{"BudePartsUnrolled", "minibude",
                     "set: {method: parts, nposes: 131, natpro: 101, ppwi: 2, wg: 4, tile: 45}\n"
                     "sweep: {split: [1, 4], unroll: [2, 8]}\n"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace kiln::test
