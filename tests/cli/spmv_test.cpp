// Sparse matrices times a vector on the CPU: every matrix by formula and one of a file, by each method.
#include <gmock/gmock.h>

#include "base/exit_code.h"
#include "cli/cli_fixture.h"
#include "cli/odd_matrices.h"
#include "cli/workload_case.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class Spmv : public CliTest, public ::testing::WithParamInterface<WorkloadCase> {
 protected:
  WriteFile writer() {
    return [this](const std::string& name, const std::string& text) { return write(name, text); };
  }
};

TEST_P(Spmv, AgreesWithSumsInDouble) {
  const CliResult result = kiln({"run", write("job.yaml", job_text(GetParam(), "cpu"))});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("ok"));
}

const char* const kMatrices =
    "set: {extent: 6, half_width: 2, per_row: 3, block: 32, method: METHOD}\n"
    "sweep: {generator: [plane5, cube7, cube27, elasticity, banded, rmat], T: [float, double]}\n";

std::string by(const std::string& method) {
  std::string text = kMatrices;
  text.replace(text.find("METHOD"), 6, method);
  return text;
}

class SpmvMethod : public CliTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(SpmvMethod, AgreesForEachMatrixByFormula) {
  const CliResult result =
      kiln({"run", write("job.yaml", "workload: spmv\ndevice: cpu\nmeasure: false\n" + by(GetParam()))});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("12 ok"));
}

INSTANTIATE_TEST_SUITE_P(All, SpmvMethod,
                         ::testing::Values("chunks", "vector", "stream", "diagonals", "window", "merge",
                                           "hot", "measured"));

INSTANTIATE_TEST_SUITE_P(
    All, Spmv,
    ::testing::Values(
        WorkloadCase{
            "Lanes", "spmv",
            "set: {generator: cube27, extent: 5, method: vector, block: 64}\nsweep: {lanes: [1, 2, 32], "
            "rows_each: [1, 4]}\n"},
        WorkloadCase{
            "Shares", "spmv",
            "set: {generator: rmat, extent: 10, method: merge, block: 32}\nsweep: {items: [1, 4, 32]}\n"},
        WorkloadCase{"Stream", "spmv",
                     "set: {generator: rmat, extent: 10, method: stream, block: 32, blocks: 3}\nsweep: "
                     "{items: [1, 4], lanes: "
                     "[1, 4], stay: [false, true]}\n"},
        // Rows that go on from span to span, and warps with several spans.
        WorkloadCase{
            "Spans", "spmv",
            "set: {generator: rmat, extent: 12, method: hot, block: 64, blocks: 2, places: 100}\nsweep: "
            "{items: [1, 4], rounds: [1, 5], T: [float, double]}\n"},
        // Ranges of entries that are longer than the copies.
        WorkloadCase{"Copies", "spmv",
                     "set: {generator: elasticity, extent: 4, method: diagonals, block: 32}\nsweep: {items: "
                     "[1, 4], lanes: [1, 4], T: [float, double]}\n"},
        // A band that is wider and one that is narrower than the window.
        WorkloadCase{"Window", "spmv",
                     "set: {generator: banded, extent: 3000, per_row: 9, method: window, block: 64, places: "
                     "500, blocks: 3}\nsweep: {half_width: [50, 900], lanes: [1, 8], rows_each: [1, 2]}\n"},
        // A window with fewer elements than the block has work-items.
        WorkloadCase{"SmallWindow", "spmv",
                     "set: {generator: banded, extent: 3000, per_row: 9, method: window, block: 256, blocks: "
                     "3}\nsweep: {half_width: [50, 900], places: [1, 40]}\n"},
        WorkloadCase{"LongRows", "spmv", "set: {generator: rmat, extent: 12, method: measured, block: 64}\n"},
        WorkloadCase{
            "Blocks", "spmv",
            "set: {generator: elasticity, extent: 4, method: blocked, block: 64}\nsweep: {T: [float, "
            "double], lanes: [1, 8], items: [1, 3], ahead: [false, true]}\n"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(Spmv, TakesAMatrixFromAFile) {
  for (const char* method : {"chunks", "vector", "merge", "measured"}) {
    const CliResult result = kiln({"run", write("job.yaml",
                                                "workload: spmv\ndevice: cpu\nmeasure: false\nset: {block: "
                                                "64, method: " +
                                                    std::string(method) + ", matrix: " + KILN_SOURCE_DIR +
                                                    "/configs/examples/data/l_shape.mtx}\n")});
    EXPECT_EQ(result.code, 0) << method << result.out << result.err;
  }
}

TEST_F(Spmv, TakesMatricesOfOneRowOrOneColumn) {
  const CliResult result = kiln({"run", write("job.yaml", odd_matrices_job(writer(), "cpu"))});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("28 ok"));
}

TEST_F(Spmv, RefusesAMatrixWithoutEntries) {
  const std::string file = write("empty.mtx", matrix_text(40, 30, [](int, int) { return false; }));
  const CliResult result =
      kiln({"run", write("job.yaml", "workload: spmv\ndevice: cpu\nset: {matrix: " + file + "}\n")});
  EXPECT_EQ(result.code, kExitBadInput) << result.out;
  EXPECT_THAT(result.err,
              HasSubstr("nonzeros: 0 is too small; the least is 1; it is that of '" + file + "'"));
}

TEST_F(Spmv, TakesTheSameStatisticsOfLongRowsAsALoop) {
  const CliResult result = kiln({"run", write("job.yaml", sampling_job(writer(), "cpu", *files_))});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("3 ok"));
}

TEST_F(Spmv, FindsThatAMatrixHasNoDenseBlocks) {
  const CliResult result =
      kiln({"run", write("job.yaml",
                         "workload: spmv\ndevice: cpu\nmeasure: false\nset: {generator: banded, extent: 300, "
                         "half_width: 20, per_row: 6, method: blocked, block_size: 3}\n")});
  EXPECT_EQ(result.code, 1) << result.out << result.err;
  EXPECT_THAT(result.out + result.err, HasSubstr("the blocks are dense"));
}

TEST_F(Spmv, FindsThatAMatrixHasTooManyDiagonals) {
  const CliResult result =
      kiln({"run", write("job.yaml",
                         "workload: spmv\ndevice: cpu\nmeasure: false\nset: {generator: banded, extent: 900, "
                         "half_width: 200, per_row: 9, method: diagonals}\n")});
  EXPECT_EQ(result.code, 1) << result.out << result.err;
  EXPECT_THAT(result.out + result.err, HasSubstr("at most 256 diagonals"));
}

TEST_F(Spmv, ChoosesTheMethodOfAMatrixByItsRows) {
  const std::string head = "workload: spmv\ndevice: cpu\nmeasure: false\nset: {method: measured, block: 64, ";
  const std::pair<std::string, std::string> cases[] = {
      {"generator: banded, extent: 9000, half_width: 1000, per_row: 9}", "spmv_window"},
      {"generator: banded, extent: 9000, half_width: 4000, per_row: 9, places: 900}", "spmv_vector"},
      {"generator: cube7, extent: 12}", "spmv_vector"},
      {"generator: rmat, extent: 12}", "spmv_merge"}};
  for (const auto& [matrix, chosen] : cases) {
    const std::string trace = chosen + std::to_string(matrix.size()) + ".json";
    const CliResult result = kiln({"run", write("job.yaml", head + matrix + "\n"), "--trace", path(trace)});
    EXPECT_EQ(result.code, 0) << result.out << result.err;
    const std::string events = files_->read_file(path(trace)).value_or("");
    for (const std::string kernel : {"spmv_window", "spmv_vector", "spmv_merge"})
      EXPECT_EQ(events.find("launch " + kernel) != std::string::npos, kernel == chosen) << matrix << kernel;
  }
}

}  // namespace
}  // namespace kiln::test
