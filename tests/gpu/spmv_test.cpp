// Sparse matrices times a vector on the GPU: every matrix by formula, by each method.
#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "cli/odd_matrices.h"
#include "cli/workload_case.h"
#include "gpu/gpu_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class GpuSpmv : public CliTest, public ::testing::WithParamInterface<WorkloadCase> {
 protected:
  void SetUp() override {
    const auto backend = make_cuda_backend(cuda_places(""), *files_);
    if (const std::string problem = backend->problem(); !problem.empty()) GTEST_SKIP() << problem;
  }
  WriteFile writer() {
    return [this](const std::string& name, const std::string& text) { return write(name, text); };
  }
};

TEST_P(GpuSpmv, AgreesWithSumsInDouble) {
  const CliResult result = kiln({"run", write("job.yaml", job_text(GetParam(), "cuda:0"))});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("cuda:0"));
}

TEST_F(GpuSpmv, TakesMatricesOfOneRowOrOneColumn) {
  const CliResult result = kiln({"run", write("job.yaml", odd_matrices_job(writer(), "cuda:0"))});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("28 ok"));
}

TEST_F(GpuSpmv, TakesTheSameStatisticsOfLongRowsAsALoop) {
  const CliResult result = kiln({"run", write("job.yaml", sampling_job(writer(), "cuda:0", *files_))});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("3 ok"));
}

TEST_F(GpuSpmv, FindsThatAMatrixHasTooManyDiagonals) {
  const CliResult result =
      kiln({"run", write("job.yaml",
                         "workload: spmv\ndevice: cuda:0\nmeasure: false\nset: {generator: banded, extent: "
                         "9000, half_width: 200, per_row: 9, method: diagonals}\n")});
  EXPECT_EQ(result.code, 1) << result.out << result.err;
  EXPECT_THAT(result.out + result.err, HasSubstr("at most 256 diagonals"));
}

INSTANTIATE_TEST_SUITE_P(
    All, GpuSpmv,
    ::testing::Values(
        WorkloadCase{
            "Small", "spmv",
            "set: {extent: 9, half_width: 2, per_row: 3}\nsweep: {generator: [plane5, cube7, cube27, "
            "elasticity, banded, rmat], T: [float, double], method: [vector, stream, merge, hot, window, "
            "measured]}\n"},
        WorkloadCase{"Diagonals", "spmv",
                     "set: {method: diagonals, block: 64}\nsweep: {generator: [plane5, cube7, cube27, "
                     "elasticity], T: [float, double], extent: [9, 50], items: [3, 32], lanes: [1, 4]}\n"},
        WorkloadCase{"Window", "spmv",
                     "set: {generator: banded, method: window, extent: 500000}\nsweep: {half_width: [900, "
                     "20000], places: [3000, 9000], lanes: [1, 8], rows_each: [1, 2]}\n"},
        // A window with fewer elements than the block has work-items.
        WorkloadCase{"SmallWindow", "spmv",
                     "set: {generator: banded, extent: 100000, per_row: 9, method: window, block: "
                     "1024}\nsweep: {half_width: [50, 9000], places: [1, 40, 1000], T: [float, double]}\n"},
        WorkloadCase{"Hot", "spmv",
                     "set: {generator: rmat, method: hot, extent: 16}\nsweep: {T: [float, double], block: "
                     "[64, 1024], items: [1, 4], places: [100, 9000], rounds: [1, 5]}\n"},
        WorkloadCase{"AsPublished", "spmv",
                     "sweep: {generator: [plane5, cube7, cube27, elasticity, banded, rmat], T: [float, "
                     "double]}\n"},
        WorkloadCase{"Merge", "spmv",
                     "set: {method: merge}\nsweep: {generator: [cube7, elasticity, rmat], block: [64, 256], "
                     "items: [1, 7], loads: [plain, streaming]}\n"},
        WorkloadCase{
            "Stream", "spmv",
            "set: {method: stream, blocks: 50}\nsweep: {generator: [cube7, elasticity, rmat], lanes: [1, "
            "8], items: [2, 7], stay: [false, true]}\n"},
        WorkloadCase{
            "Blocks", "spmv",
            "set: {generator: elasticity, method: blocked}\nsweep: {T: [float, double], lanes: [1, 8, "
            "32], items: [1, 2, 5], ahead: [false, true]}\n"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace kiln::test
