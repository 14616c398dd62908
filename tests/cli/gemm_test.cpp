// Products of matrices on the CPU, made of the parts of kernels_src/tiles: orders, shapes, types, splits.
#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "cli/workload_case.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class Gemm : public CliTest, public ::testing::WithParamInterface<WorkloadCase> {};

TEST_P(Gemm, AgreesWithSumsInDouble) {
  const CliResult result = kiln({"run", write("job.yaml", job_text(GetParam(), "cpu"))});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("ok"));
}

INSTANTIATE_TEST_SUITE_P(
    All, Gemm,
    ::testing::Values(
        WorkloadCase{"Orders", "gemm",
                     "set: {m: 37, n: 50, k: 71, alpha: 0.5, beta: -2, tile_m: 24, tile_n: 32, tile_k: 16}\n"
                     "sweep: {trans_a: [false, true], trans_b: [false, true], T: [float, half]}\n"},
        WorkloadCase{"Types", "gemm",
                     "set: {m: 33, n: 65, k: 40, tile_m: 24, tile_n: 64, tile_k: 16, beta: 1}\n"
                     "sweep: {T: [double, bfloat16, fp8_e4m3]}\n"},
        WorkloadCase{"Shapes", "gemm", "sweep: {m: [1, 300], n: [1, 257], k: [1, 113]}\n"},
        WorkloadCase{
            "Fma", "gemm",
            "set: {operation: fma, tile_m: 32, tile_n: 64, tile_k: 8, each_m: 8, each_n: 8, m: 45, n: 70, k: "
            "39, beta: 3}\nsweep: {trans_a: [false, true], splits: [1, 3]}\n"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(Gemm, FindsAWrongPipeline) {
  const std::string folder = std::string(KILN_SOURCE_DIR) + "/kernels_src/";
  for (const char* file : {"gemm/gemm.yaml", "gemm/gemm.h", "gemm/gemm_vectors.cu", "gemm/gemm_data.cu",
                           "gemm/gemm_errors.h", "tiles/epilogue.h", "tiles/matrix.h"})
    write("broken/" + std::string(file), files_->read_file(folder + file).value_or(""));
  std::string text = files_->read_file(folder + "tiles/cpu.h").value_or("");
  const std::string right = "k + part == depth";
  ASSERT_NE(text.find(right), std::string::npos);
  text.replace(text.find(right), right.size(), "k + part == depth - 1");
  write("broken/tiles/cpu.h", text);
  const CliResult result =
      kiln({"run", write("job.yaml", "workload: " + path("broken/gemm") +
                                         "\ndevice: cpu\nmeasure: false\nset: {m: 20, k: 200, alpha: 3}\n")});
  EXPECT_EQ(result.code, 1) << result.out << result.err;
  EXPECT_THAT(result.out + result.err, HasSubstr("samples against their values in double"));
}

}  // namespace
}  // namespace kiln::test
