// The radix sort on the CPU: each of its variants against the definition of a stable sort.
#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "cli/workload_case.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class Sort : public CliTest, public ::testing::WithParamInterface<WorkloadCase> {};

TEST_P(Sort, IsStable) {
  const CliResult result = kiln({"run", write("job.yaml", job_text(GetParam(), "cpu"))});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("ok"));
}

INSTANTIATE_TEST_SUITE_P(
    All, Sort,
    ::testing::Values(
        WorkloadCase{
            "Sizes", "sort",
            "set: {items: 100, bind.all: run}\nsweep: {n: [1, 2, 99, 100, 101, 5001], Key: [unsigned, "
            "ulong]}\n"},
        WorkloadCase{
            "EqualKeys", "sort",
            "set: {n: 20011, items: 1000, Key: ulong}\nsweep: {distinct: [1, 3, 1000], payload: [true, "
            "false]}\n"},
        WorkloadCase{"SortedAlready", "sort",
                     "set: {n: 20011, items: 1000}\nsweep: {order: [ascending, descending]}\n"},
        WorkloadCase{
            "SomeBits", "sort",
            "set: {n: 20011, items: 1000, Key: ulong, begin_bit: 12, end_bit: 36}\nsweep: {bits: [3, "
            "8]}\n"},
        WorkloadCase{
            "Blocks", "sort",
            "set: {n: 9001, scan_block: 64}\nsweep: {block: [64, 128], items: [1, 5], Key: [unsigned, "
            "ulong], distinct: [0, 2]}\n"},
        WorkloadCase{"OnePass", "sort", "set: {n: 9001, end_bit: 8}\nsweep: {payload: [true, false]}\n"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(Sort, RefusesBitsThatNoDigitsDivide) {
  const CliResult result =
      kiln({"run", write("job.yaml", "workload: sort\ndevice: cpu\nset: {end_bit: 31}\n")});
  EXPECT_EQ(result.code, 2) << result.out << result.err;
  EXPECT_THAT(result.err, HasSubstr("(end_bit - begin_bit) % bits == 0"));
}

TEST_F(Sort, OfOtherOrderIsFound) {
  for (const char* file : {"radix_sort.cu", "sort_check.cu", "sort.yaml"}) {
    const auto text = files_->read_file(std::string(KILN_SOURCE_DIR) + "/kernels_src/sort/" + file);
    write("broken/sort/" + std::string(file), text.value_or(""));
  }
  std::string header =
      files_->read_file(std::string(KILN_SOURCE_DIR) + "/kernels_src/sort/radix_sort.h").value_or("");
  const std::string right = "unsigned(key >> shift)";
  ASSERT_NE(header.find(right), std::string::npos);
  header.replace(header.find(right), right.size(), "unsigned(key >> shift >> 1)");
  write("broken/sort/radix_sort.h", header);
  const CliResult result =
      kiln({"run", write("job.yaml", "workload: " + path("broken/sort") +
                                         "\ndevice: cpu\nmeasure: false\nset: {n: 1000, distinct: 16}\n")});
  EXPECT_EQ(result.code, 1) << result.out << result.err;
  EXPECT_THAT(result.out + result.err, HasSubstr("sorted and stable"));
}

}  // namespace
}  // namespace kiln::test
