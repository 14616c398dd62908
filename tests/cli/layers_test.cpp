// Layers of networks on the CPU against the same layers in double, and ResNet18 made of them.
#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "cli/workload_case.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class Layers : public CliTest, public ::testing::WithParamInterface<WorkloadCase> {};

TEST_P(Layers, AgreeWithSumsInDouble) {
  const CliResult result = kiln({"run", write("job.yaml", job_text(GetParam(), "cpu"))});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("ok"));
}

INSTANTIATE_TEST_SUITE_P(
    All, Layers,
    ::testing::Values(
        WorkloadCase{"Residuals", "layers",
                     "set: {h: 9, w: 7, batch: 2, filters: 40}\nsweep: {c: [3, 16], add: [false, true], T: "
                     "[float, half]}\n"},
        WorkloadCase{
            "Filters", "layers",
            "set: {h: 13, w: 12, c: 8, filters: 33}\nsweep: {filter_h: [1, 3], stride: [1, 2], relu: "
            "[false, true]}\n"},
        WorkloadCase{
            "LinesOfFilters", "layers",
            "set: {h: 15, w: 18, c: 4, filters: 9, filter_h: 7, filter_w: 8, padding: 0, stride: 2}\n"},
        WorkloadCase{"OnePixel", "layers",
                     "set: {h: 1, c: 70, filters: 50, filter_h: 1, batch: 3, relu: false}\n"},
        WorkloadCase{"PartsOfTheDepth", "layers",
                     "set: {h: 6, c: 32, filters: 70, operation: fma, async: false, tile_m: 32, tile_n: 64, "
                     "tile_k: 16, each_m: 8, each_n: 8, part_limit: 100000, add: true}\nsweep: {splits: [1, "
                     "3]}\n"}),
    [](const auto& test) { return std::string(test.param.name); });

// Constants at run time: few kernels to compile.
TEST_F(Layers, ResNet18AgreesWithItselfInDouble) {
  const CliResult result = kiln(
      {"run",
       write("job.yaml",
             "workload: resnet18\ndevice: cpu\nmeasure: false\nset: {image_h: 33, image_w: 40, batch: 2, "
             "bind.all: run, graph: true}\n")});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("ok"));
}

}  // namespace
}  // namespace kiln::test
