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
        WorkloadCase{"Fma", "gemm",
                     "set: {operation: fma, tile_m: 32, tile_n: 64, tile_k: 8, each_m: 8, each_n: 8, m: 45, "
                     "k: 39, beta: "
                     "3}\nsweep: {trans_a: [false, true], n: [70, 72], splits: [1, 3]}\n"},
        WorkloadCase{"Times", "gemm", "set: {m: 50, k: 30, beta: 1, times: 3}\n"},
        // AMD's matrix instructions by the model of ../tiles/mfma_model.h: of 16 and of 32 rows.
        WorkloadCase{"WavefrontsOf64", "gemm",
                     "set: {operation: mfma, m: 70, n: 100, k: 45, alpha: 0.5, beta: -2}\n"
                     "sweep: {T: [float, double, half, bfloat16], each_n: [16, 32]}\n"},
        WorkloadCase{"WholeTilesOfWavefronts", "gemm",
                     "set: {operation: mfma, T: half, m: 64, n: 128, k: 128, trans_b: true}\n"
                     "sweep: {trans_a: [false, true], splits: [1, 2]}\n"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(Gemm, FindsAWrongPipeline) {
  const std::string folder = std::string(KILN_SOURCE_DIR) + "/kernels_src/";
  for (const char* file :
       {"gemm/gemm.yaml", "gemm/gemm.h", "gemm/gemm_packed.h", "gemm/gemm_vectors.cu", "gemm/gemm_data.cu",
        "gemm/gemm_errors.h", "tiles/epilogue.h", "tiles/matrix.h", "tiles/overlap.h"})
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

/// Of the lanes of AMD's matrix instructions: the kernel is right, the model's table is not, or the opposite.
TEST_F(Gemm, FindsAWrongLane) {
  const std::string folder = std::string(KILN_SOURCE_DIR) + "/kernels_src/";
  for (const char* file :
       {"gemm/gemm.yaml", "gemm/gemm.h", "gemm/gemm_blocks.h", "gemm/gemm_mfma.cu", "gemm/gemm_data.cu",
        "gemm/gemm_errors.h", "tiles/epilogue.h", "tiles/matrix.h", "tiles/overlap.h", "tiles/copy.h",
        "tiles/pipeline.h", "tiles/mfma.h", "tiles/mfma_model.h"})
    write("broken/" + std::string(file), files_->read_file(folder + file).value_or(""));
  const auto code_with = [&](const std::string& file, const std::string& right, const std::string& wrong,
                             const char* type) {
    const std::string text = files_->read_file(folder + file).value_or("");
    EXPECT_NE(text.find(right), std::string::npos) << right;
    std::string changed = text;
    write("broken/" + file, changed.replace(text.find(right), right.size(), wrong));
    const CliResult result = kiln(
        {"run", write("job.yaml", "workload: " + path("broken/gemm") +
                                      "\ndevice: cpu\nmeasure: false\nset: {operation: mfma, T: " + type +
                                      ", m: 32, k: 64, tile_m: 32, tile_n: 32}\n")});
    write("broken/" + file, text);
    EXPECT_THAT(result.out + result.err, HasSubstr("samples against their values in double"));
    return result.code;
  };
  EXPECT_EQ(code_with("tiles/mfma_model.h", "4 * (row / 8) + row % 4", "row / 2", "half"), 1);
  EXPECT_EQ(code_with("tiles/mfma.h", "e * groups + lane / side", "lane / side * 4 + e", "double"), 1);
  EXPECT_EQ(code_with("tiles/mfma.h", "rank % 64 / side * each", "rank % 2 * each", "float"), 1);
}

}  // namespace
}  // namespace kiln::test
