// Convolutions on the CPU against direct sums in double; and how much of a convolution is not a product of
// matrices.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdio>

#include "cli/cli_fixture.h"
#include "cli/workload_case.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class Conv2d : public CliTest, public ::testing::WithParamInterface<WorkloadCase> {};

TEST_P(Conv2d, AgreesWithDirectSums) {
  const CliResult result = kiln({"run", write("job.yaml", job_text(GetParam(), "cpu"))});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("ok"));
}

INSTANTIATE_TEST_SUITE_P(
    All, Conv2d,
    ::testing::Values(
        WorkloadCase{"Layouts", "conv2d",
                     "set: {h: 9, w: 11, c: 5, filters: 7, batch: 2}\nsweep: {layout: [nhwc, nchw], T: "
                     "[float, half]}\n"},
        WorkloadCase{"Filters", "conv2d",
                     "set: {h: 13, w: 12, c: 3, filters: 40, relu: true}\nsweep: {filter_h: [1, 3, 7], "
                     "stride: [1, 2], "
                     "dilation: [1, 2]}\n"},
        WorkloadCase{
            "Groups", "conv2d",
            "set: {h: 6, c: 8, filters: 12, padding: 0, filter_w: 2}\nsweep: {groups: [2, 4], layout: [nhwc, "
            "nchw]}\n"},
        WorkloadCase{"WavefrontsOf64", "conv2d",  // AMD's matrix instructions by a model
                     "set: {operation: mfma, h: 9, w: 11, c: 24, filters: 40, batch: 2}\n"
                     "sweep: {layout: [nhwc, nchw], T: [float, half]}\n"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(Conv2d, NeedsLessThanAHundredLinesOfItsOwn) {
  for (const std::string file : {"im2col.h", "im2col_boxes.h"}) {
    const std::string text =
        files_->read_file(std::string(KILN_SOURCE_DIR) + "/kernels_src/conv2d/" + file).value_or("");
    const auto lines = std::count(text.begin(), text.end(), '\n');
    std::printf("conv2d beside gemm: %s, a source of %d lines\n", file.c_str(), static_cast<int>(lines));
    EXPECT_GT(lines, 0);
    EXPECT_LT(lines, 100);
  }
}

}  // namespace
}  // namespace kiln::test
