// su3 on the GPU against its reference in double: lattices that no tile divides, every way to move the words,
// and the size of the papers.
#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "gpu/gpu_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class GpuSu3 : public CliTest, public ::testing::WithParamInterface<std::pair<const char*, const char*>> {
 protected:
  void SetUp() override {
    const auto backend = make_cuda_backend(cuda_places(""), *files_);
    if (const std::string problem = backend->problem(); !problem.empty()) GTEST_SKIP() << problem;
  }
};

TEST_P(GpuSu3, AgreesWithItsReference) {
  const std::string job =
      write("job.yaml", std::string("workload: su3\ndevice: cuda:0\nmeasure: false\n") + GetParam().second);
  const CliResult result = kiln({"run", job});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("cuda:0"));
}

INSTANTIATE_TEST_SUITE_P(
    All, GpuSu3,
    ::testing::Values(
        std::pair{"Sizes",
                  "sweep: {L: [1, 2, 3, 7], T: [float, double], implementation: [tuned, paper], "
                  "layout: [published, dense], bind.all: [run, compile]}\n"},
        std::pair{"Blocks",
                  "set: {L: 7}\nsweep: {T: [float, double], block: [12, 96, 192], rounds: [1, 2, 3], ahead: "
                  "[false, true]}\n"},
        std::pair{"Hints",
                  "set: {L: 7}\nsweep: {T: [float, double], fetch: [64, 128, 256], stores: [plain, "
                  "streaming]}\n"},
        std::pair{"Streaming",
                  "set: {L: 7, loads: streaming}\nsweep: {T: [float, double], layout: "
                  "[published, dense]}\n"},
        std::pair{"Runs", "set: {L: 7, method: runs, length: 5}\nsweep: {T: [float, double]}\n"},
        std::pair{"PaperIndices",
                  "set: {L: 7, implementation: paper}\nsweep: {T: [float, double], aligned: [false, true], "
                  "Index: [int, long]}\n"},
        std::pair{"PaperSize",
                  "set: {L: 32}\nsweep: {T: [float, double], implementation: [tuned, paper], input: [random, "
                  "constant]}\n"},
        std::pair{"PaperSizeDense", "set: {L: 32, layout: dense}\nsweep: {T: [float, double]}\n"},
        // 4.2 million sites: in double 2.7 GB a lattice, numbers beyond 2^31 bytes.
        std::pair{"LargerThanTwoGigabytes",
                  "set: {L: 45}\nsweep: {T: [float, double], implementation: [tuned, "
                  "paper]}\n"}),
    [](const auto& test) { return std::string(test.param.first); });

}  // namespace
}  // namespace kiln::test
