// Transposes on the CPU, bit for bit: each size of elements, shapes that no tile divides, batches, each
// method.
#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "cli/workload_case.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class Transpose : public CliTest, public ::testing::WithParamInterface<WorkloadCase> {};

TEST_P(Transpose, IsRightBitForBit) {
  const CliResult result = kiln({"run", write("job.yaml", job_text(GetParam(), "cpu"))});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("ok"));
}

INSTANTIATE_TEST_SUITE_P(
    All, Transpose,
    ::testing::Values(
        WorkloadCase{"Sizes", "transpose",
                     "set: {rows: 63, columns: 97, batch: 3}\nsweep: {bytes: [1, 2, 4, 8, 16]}\n"},
        WorkloadCase{"Shapes", "transpose",
                     "set: {bind.all: run, bind.bytes: compile}\nsweep: {rows: [1, 63, 130], columns: [1, "
                     "300]}\n"},
        WorkloadCase{"Pieces", "transpose",
                     "set: {rows: 67, columns: 61, bytes: 2}\nsweep: {pack: [1, 2, 16], group: [1, 100]}\n"},
        WorkloadCase{
            "Tiles", "transpose",
            "set: {method: tile, tile_rows: 16, tile_columns: 32, block: 32, batch: 2, blocks: 3, pack: "
            "4}\nsweep: {rows: [17, 36], columns: [61, 320], fronts: [1, 3, 16], stay: [false, true]}\n"},
        WorkloadCase{
            "Paper", "transpose",
            "set: {implementation: paper, rows: 45, columns: 70, batch: 2, tile_rows: 16, tile_columns: "
            "16, block: 64}\nsweep: {bytes: [1, 16], method: [padded, naive]}\n"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(Transpose, NeedsAGpuForBoxes) {
  const CliResult result =
      kiln({"run", write("job.yaml", "workload: transpose\ndevice: cpu\nset: {method: tma}\n")});
  EXPECT_EQ(result.code, 2) << result.out << result.err;
  EXPECT_THAT(result.err, HasSubstr("method != tma || sm >= 90"));
}

TEST_F(Transpose, FindsAnElementThatIsElsewhere) {
  const std::string folder = std::string(KILN_SOURCE_DIR) + "/kernels_src/transpose/";
  for (const char* file : {"transpose.yaml", "transpose.h", "transpose_data.cu"})
    write("broken/transpose/" + std::string(file), files_->read_file(folder + file).value_or(""));
  write("broken/tiles/tile_transpose.h",
        files_->read_file(folder + "../tiles/tile_transpose.h").value_or(""));
  std::string text = files_->read_file(folder + "transpose_pieces.cu").value_or("");
  const std::string right = "to.at[2 * r + 1][2 * e] =";
  ASSERT_NE(text.find(right), std::string::npos);
  text.replace(text.find(right), right.size(), "to.at[2 * r + 1][2 * (e ^ 1)] =");
  write("broken/transpose/transpose_pieces.cu", text);
  const CliResult result =
      kiln({"run", write("job.yaml", "workload: " + path("broken/transpose") +
                                         "\ndevice: cpu\nmeasure: false\nset: {rows: 64}\n")});
  EXPECT_EQ(result.code, 1) << result.out << result.err;
  EXPECT_THAT(result.out + result.err, HasSubstr("bit for bit"));
}

}  // namespace
}  // namespace kiln::test
