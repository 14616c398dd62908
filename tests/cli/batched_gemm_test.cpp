// Products of many small matrices on the CPU: each row against its value in double, for each method.
#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "cli/workload_case.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class BatchedGemm : public CliTest, public ::testing::WithParamInterface<WorkloadCase> {};

TEST_P(BatchedGemm, AgreesWithSumsInDouble) {
  const CliResult result = kiln({"run", write("job.yaml", job_text(GetParam(), "cpu"))});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("ok"));
}

INSTANTIATE_TEST_SUITE_P(
    All, BatchedGemm,
    ::testing::Values(
        WorkloadCase{
            "Loops", "batched_gemm",
            "set: {batch: 13, alpha: -1.5, beta: 0.75, each: 4}\nsweep: {T: [float, double, half], m: [1, "
            "4, 7]}\n"},
        WorkloadCase{"SizesAtRunTime", "batched_gemm",
                     "set: {bind.all: run, batch: 9, n: 6, k: 5, tile_m: 2, tile_n: 4}\nsweep: {m: [1, 3, "
                     "8]}\n"},
        WorkloadCase{"Registers", "batched_gemm",
                     "set: {batch: 11, method: registers, block: 4, n: 2, k: 3, beta: 2}\nsweep: {m: [1, 4], "
                     "each: [1, 3]}\n"},
        WorkloadCase{"RegistersWithSizesAtRunTime", "batched_gemm",
                     "set: {bind.all: run, batch: 11, method: registers, block: 4, n: 2, k: 3, beta: 2}\n"
                     "sweep: {m: [1, 4], T: [float, half]}\n"},
        WorkloadCase{"RowsInRegisters", "batched_gemm",
                     "set: {batch: 11, method: registers, block: 4, each: 3, m: 4, n: 4, k: 3, beta: 2}\n"
                     "sweep: {T: [float, double], tile_m: [1, 2]}\n"},
        WorkloadCase{
            "RowsInRegistersWithSizesAtRunTime", "batched_gemm",
            "set: {bind.all: run, batch: 11, method: registers, block: 4, m: 4, n: 2, k: 3, beta: 2, "
            "tile_m: 2}\n"},
        WorkloadCase{"TinyProductsOfHalves", "batched_gemm",
                     "set: {T: half, batch: 7, m: 32, n: 32, k: 1}\n"},
        WorkloadCase{"Shared", "batched_gemm",
                     "set: {batch: 13, method: shared, n: 6, k: 4, tile_m: 3, beta: -1}\nsweep: {m: [1, 5], "
                     "tile_n: [2, 4], matrices: [1, 5], pad: [0, 1]}\n"},
        WorkloadCase{
            "Strides", "batched_gemm",
            "set: {batch: 7, m: 4, n: 8, k: 2, stride_a: 11, stride_b: 18, stride_c: 34, vector: 2}\n"
            "sweep: {method: [registers, shared, loops]}\n"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(BatchedGemm, FindsAWrongElement) {
  const std::string folder = std::string(KILN_SOURCE_DIR) + "/kernels_src/batched_gemm/";
  for (const char* file : {"batched_gemm.yaml", "batched_gemm.h", "batched_gemm_data.cu"})
    write("broken/batched_gemm/" + std::string(file), files_->read_file(folder + file).value_or(""));
  std::string text = files_->read_file(folder + "batched_gemm_loops.cu").value_or("");
  const std::string right = "l < p.k; ++l";
  ASSERT_NE(text.find(right), std::string::npos);
  text.replace(text.find(right), right.size(), "l < p.k - 1; ++l");
  write("broken/batched_gemm/batched_gemm_loops.cu", text);
  const CliResult result =
      kiln({"run", write("job.yaml", "workload: " + path("broken/batched_gemm") +
                                         "\ndevice: cpu\nmeasure: false\nset: {m: 4, batch: 50}\n")});
  EXPECT_EQ(result.code, 1) << result.out << result.err;
  EXPECT_THAT(result.out + result.err, HasSubstr("each row against its value in double"));
}

}  // namespace
}  // namespace kiln::test
