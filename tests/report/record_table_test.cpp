#include "report/record_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "record/sample_records.h"
#include "report/run_summary.h"

namespace kiln {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const TextStyle kPlain{0, true, false};

std::vector<Record> mixed_records() {
  return {test::ok_record("block_x=128", 0.00123), test::ok_record("block_x=256", 0.00115),
          test::wrong_record("block_x=512"), test::uncompiled_record("block_x=1024")};
}

std::string cell(const TextTable& table, std::size_t row, const std::string& title) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].title == title) return table.rows.at(row).at(i).text;
  }
  return "no column " + title;
}

TEST(RecordTable, HasARowForEachVariant) {
  const TextTable table = record_table(mixed_records(), kPlain);
  ASSERT_EQ(table.rows.size(), 4U);
  EXPECT_EQ(cell(table, 0, "variant"), "block_x=128");
  EXPECT_EQ(cell(table, 0, "status"), "ok");
  EXPECT_EQ(cell(table, 0, "code"), "1 compiled 63.0 ms, 1 memory");
  EXPECT_EQ(cell(table, 0, "median"), "1.23 ms ± 0.025");
  EXPECT_EQ(cell(table, 0, "effective_bandwidth\nGB/s"), "24.39");
  EXPECT_EQ(cell(table, 0, "max. rel.\nerror"), "3.3e-08");
  EXPECT_EQ(cell(table, 2, "status"), "wrong");
  EXPECT_EQ(cell(table, 2, "code"), "disk");
  EXPECT_EQ(cell(table, 2, "median"), "-");
  EXPECT_EQ(cell(table, 3, "effective_bandwidth\nGB/s"), "-");
  EXPECT_EQ(cell(table, 3, "device"), "no column device");
}

TEST(RecordTable, ShowsTheDeviceWhereSeveralAreCompared) {
  std::vector<Record> records = mixed_records();
  records[1].device.id = "cuda:0";
  EXPECT_EQ(cell(record_table(records, kPlain), 1, "device"), "cuda:0");
}

/// A stack frame is no count of spills.
TEST(RecordTable, LocalMemoryIsNamedAsWhatItIs) {
  std::vector<Record> records = mixed_records();
  records[0].launches[0].attributes.registers = 40;
  records[0].launches[0].attributes.local_bytes = 32;
  const TextTable table = record_table(records, kPlain);
  EXPECT_EQ(cell(table, 0, "regs"), "40");
  EXPECT_EQ(cell(table, 0, "local\nbytes"), "32");
  EXPECT_EQ(cell(table, 1, "local\nbytes"), "-");
}

TEST(RecordTable, ASingleVariantGoesByTheWorkloadsName) {
  EXPECT_EQ(cell(record_table({test::ok_record("", 1)}, kPlain), 0, "variant"), "stencil7");
  EXPECT_TRUE(record_table({}, kPlain).columns.empty());
}

TEST(RecordTable, ANanErrorIsShown) {
  Record record = test::wrong_record("");
  record.checks.back().max_relative_error = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(cell(record_table({record}, kPlain), 0, "max. rel.\nerror"), "nan");
}

TEST(RunSummary, CountsVariantsAndOriginsAndNamesTheBest) {
  EXPECT_EQ(summary_line(mixed_records(), kPlain),
            "4 variants: 2 ok, 1 wrong, 1 compile failed · 2 compiled, 1 from disk, 2 from memory · best: "
            "block_x=256 "
            "(26.09 GB/s)");
}

TEST(RunSummary, NamesNoBestOfOne) {
  EXPECT_EQ(summary_line({test::ok_record("", 1)}, kPlain),
            "1 variant: 1 ok · 1 compiled, 0 from disk, 1 from memory");
}

TEST(RunSummary, LowerIsBetterWhereTheMetricSaysSo) {
  std::vector<Record> records = {test::ok_record("a", 1), test::ok_record("b", 2)};
  for (Record& record : records) record.metrics = {{"error", "", record.step->median, false}};
  EXPECT_THAT(summary_line(records, kPlain), HasSubstr("best: a (1)"));
}

TEST(RunSummary, WithoutMetricsTheFastestIsBest) {
  std::vector<Record> records = {test::ok_record("a", 2), test::ok_record("b", 1)};
  for (Record& record : records) record.metrics.clear();
  EXPECT_THAT(summary_line(records, kPlain), HasSubstr("best: b (1.00 s ± 0.02)"));
}

TEST(RunSummary, TheHeadingNamesWorkloadDeviceAndCompiler) {
  EXPECT_EQ(run_heading(mixed_records(), kPlain), "stencil7 · cpu: Example CPU, 2 cores · g++ 12.2.0");
}

TEST(RunSummary, EachVariantThatIsNotOkSaysWhy) {
  const std::string text = problem_paragraphs(mixed_records(), kPlain);
  EXPECT_THAT(
      text,
      HasSubstr("block_x=512: wrong\n  against the exact Laplacian: worst at [3, 17, 2]: 2.93, expected 3 "
                "(tolerance 1e-06 + 0 * |expected|); 17 of 1000 disagree\n"));
  EXPECT_THAT(text,
              HasSubstr("block_x=1024: compile failed\n  stencil7.cu:12:5: error: 'x' was not declared\n"));
  EXPECT_THAT(text, HasSubstr("\n     12 |     x = 1;\n"));
  EXPECT_THAT(text, Not(HasSubstr("block_x=128")));
  EXPECT_EQ(problem_paragraphs({test::ok_record("", 1)}, kPlain), "");
}

TEST(RunSummary, ALongLogIsCut) {
  Record record = test::uncompiled_record("x");
  for (int i = 0; i < 100; ++i) record.log += "line " + std::to_string(i) + "\n";
  const std::string text = problem_paragraphs({record}, kPlain);
  EXPECT_THAT(text, HasSubstr("more lines"));
  EXPECT_THAT(text, Not(HasSubstr("line 99")));
}

}  // namespace
}  // namespace kiln
