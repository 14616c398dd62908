// Products with block scales on the CPU against sums in double; and how much of them is not a product without
// scales.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdio>

#include "cli/cli_fixture.h"
#include "cli/workload_case.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class GemmScaled : public CliTest, public ::testing::WithParamInterface<WorkloadCase> {};

TEST_P(GemmScaled, AgreesWithSumsInDouble) {
  const CliResult result = kiln({"run", write("job.yaml", job_text(GetParam(), "cpu"))});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("ok"));
}

INSTANTIATE_TEST_SUITE_P(
    All, GemmScaled,
    ::testing::Values(
        WorkloadCase{"Orders", "gemm_scaled",
                     "set: {m: 37, n: 150, k: 271, alpha: 0.5, beta: -2, tile_m: 24, tile_n: 32}\n"
                     "sweep: {trans_a: [false, true], trans_b: [false, true], Out: [float, bfloat16]}\n"},
        WorkloadCase{"Shapes", "gemm_scaled", "sweep: {m: [1, 100], n: [1, 129], k: [1, 300]}\n"},
        WorkloadCase{"Fma", "gemm_scaled",
                     "set: {operation: fma, tile_m: 16, tile_n: 32, tile_k: 8, each_m: 4, each_n: 4, m: 45, "
                     "n: 170, k: 300, beta: 3}\nsweep: {splits: [1, 3]}\n"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(GemmScaled, FindsAScaleOfTheNextBlock) {
  const std::string folder = std::string(KILN_SOURCE_DIR) + "/kernels_src/";
  for (const char* file : {"gemm_scaled/gemm_scaled.yaml", "gemm_scaled/gemm_scaled_data.cu", "gemm/gemm.h",
                           "gemm/gemm_packed.h", "gemm/gemm_data.cu", "gemm/gemm_errors.h",
                           "tiles/epilogue.h", "tiles/matrix.h", "tiles/overlap.h", "tiles/cpu.h"})
    write("broken/" + std::string(file), files_->read_file(folder + file).value_or(""));
  std::string text = files_->read_file(folder + "gemm_scaled/gemm_scaled_vectors.cu").value_or("");
  const std::string right = "column / 128 * blocks";
  ASSERT_NE(text.find(right), std::string::npos);
  text.replace(text.find(right), right.size(), "(column + 32) / 128 * blocks");
  write("broken/gemm_scaled/gemm_scaled_vectors.cu", text);
  const CliResult result =
      kiln({"run", write("job.yaml", "workload: " + path("broken/gemm_scaled") +
                                         "\ndevice: cpu\nmeasure: false\nset: {m: 20, n: 200, k: 256}\n")});
  EXPECT_EQ(result.code, 1) << result.out << result.err;
  EXPECT_THAT(result.out + result.err, HasSubstr("samples against their values in double"));
}

TEST_F(GemmScaled, NeedsLessThanSixtyLinesOfItsOwn) {
  const std::string text =
      files_->read_file(std::string(KILN_SOURCE_DIR) + "/kernels_src/tiles/scaled.h").value_or("");
  const auto lines = std::count(text.begin(), text.end(), '\n');  // with comments and empty ones
  std::printf("gemm_scaled beside gemm: an operation of %d lines\n", static_cast<int>(lines));
  EXPECT_GT(lines, 0);
  EXPECT_LT(lines, 60);
}

}  // namespace
}  // namespace kiln::test
