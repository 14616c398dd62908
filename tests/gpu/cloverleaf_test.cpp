// CloverLeaf on the GPU: small grids against the reference of the whole calculation, the benchmark decks with
// their kinetic energies.
#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "gpu/gpu_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class GpuCloverLeaf : public CliTest,
                      public ::testing::WithParamInterface<std::pair<const char*, const char*>> {
 protected:
  void SetUp() override {
    const auto backend = make_cuda_backend(cuda_places(""), *files_);
    if (const std::string problem = backend->problem(); !problem.empty()) GTEST_SKIP() << problem;
  }
};

TEST_P(GpuCloverLeaf, AgreesWithItsReferences) {
  const std::string job =
      write("job.yaml",
            "workload: cloverleaf\ndevice: cuda:0\nmeasure: false\nrequire_checks: true\ngraph: true\n" +
                std::string(GetParam().second));
  const CliResult result = kiln({"run", job});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("cuda:0"));
}

INSTANTIATE_TEST_SUITE_P(
    All, GpuCloverLeaf,
    ::testing::Values(
        std::pair{"Small", "sweep: {implementation: [tuned, paper], bind.all: [run, compile]}\n"},
        std::pair{"Sizes",
                  "set: {bind.all: run, end_step: 9}\n"
                  "sweep: {nx: [2, 3, 27, 33, 130], ny: [2, 5, 47], implementation: [tuned, paper]}\n"},
        std::pair{"Passes",
                  "set: {end_step: 9, nx: 131, ny: 47}\n"
                  "sweep: {moves: [one, two], move_rows: [5, 64], move_block: [64, 256]}\n"},
        std::pair{"Halos", "set: {end_step: 9, nx: 131, ny: 47, images: false, moves: two}\n"},
        std::pair{
            "Watched",
            "set: {end_step: 12}\nsweep: {loop: [watched], look: [1, 5], implementation: [tuned, paper]}\n"},
        std::pair{"Tube", "set: {deck: " KILN_SOURCE_DIR "/tests/workloads/cloverleaf/tube.in}\n"
                          "sweep: {implementation: [tuned, paper]}\n"},
        std::pair{"Regions", "set: {deck: " KILN_SOURCE_DIR "/tests/workloads/cloverleaf/regions.in}\n"
                             "sweep: {implementation: [tuned, paper]}\n"},
        std::pair{
            "BmShort",
            "set: {problem: bm_short}\nsweep: {implementation: [tuned, paper], bind.all: [run, compile]}\n"},
        std::pair{"Bm2Short", "set: {problem: bm2_short}\nsweep: {implementation: [tuned, paper]}\n"},
        std::pair{"Bm4Short", "set: {problem: bm4_short}\nsweep: {implementation: [tuned, paper]}\n"},
        std::pair{"Bm16VeryShort",
                  "set: {problem: bm16_very_short}\nsweep: {implementation: [tuned, paper]}\n"},
        std::pair{"Bm16Short", "set: {problem: bm16_short}\nsweep: {implementation: [tuned, paper]}\n"},
        std::pair{"Bm64Short", "set: {problem: bm64_short}\nsweep: {implementation: [tuned, paper]}\n"}),
    [](const auto& test) { return std::string(test.param.first); });

}  // namespace
}  // namespace kiln::test
