#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/record_json.h"
#include "report/csv.h"
#include "report/device_records.h"
#include "report/html_page.h"
#include "report/paper_csv.h"
#include "report/portability.h"
#include "report/portability_text.h"
#include "report/record_table.h"
#include "report/run_summary.h"

namespace kiln {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kReason = "the workload has no check (`verify`)";

Record unchecked(Record record) {
  record.status = RunStatus::kUnchecked;
  record.message = kReason;
  record.checks.clear();
  return record;
}

/// The unchecked one is the faster.
std::vector<Record> mixed() {
  return {test::ok_record("block=64", 0.002), unchecked(test::ok_record("block=256", 0.001))};
}

std::vector<const Record*> pointers(const std::vector<Record>& records) {
  std::vector<const Record*> result;
  for (const Record& record : records) result.push_back(&record);
  return result;
}

TEST(UncheckedRecords, AreCountedApartAndNeverTheBestBesideOneThatIsOk) {
  const std::string line = summary_line(mixed(), TextStyle{});
  EXPECT_THAT(line, AllOf(HasSubstr("2 variants: 1 ok, 1 unchecked"), HasSubstr("best: block=64 (")));
}

TEST(UncheckedRecords, TheBestOfThemSaysThatItIsUnchecked) {
  const std::vector<Record> records = {unchecked(test::ok_record("block=64", 0.002)),
                                       unchecked(test::ok_record("block=256", 0.001))};
  EXPECT_THAT(summary_line(records, TextStyle{}),
              AllOf(HasSubstr("0 ok, 2 unchecked"), HasSubstr("best: block=256 (30 GB/s, unchecked)")));
}

TEST(UncheckedRecords, TheRemarkSaysHowManyAndWhyOnce) {
  std::vector<Record> records = mixed();
  records.push_back(records.back());
  EXPECT_EQ(unchecked_remark(pointers(records)),
            std::string("unchecked: nothing shows that the results of 2 of 3 are right: ") + kReason);
  EXPECT_EQ(unchecked_remark({&records.front()}), "");
  EXPECT_EQ(problem_paragraphs(records, TextStyle{}), "");
}

TEST(UncheckedRecords, TablesAndFilesNameTheStatus) {
  const std::vector<Record> records = mixed();
  const TextTable table = record_table(records, TextStyle{});
  EXPECT_EQ(table.rows.at(1).at(1).text, "unchecked");
  EXPECT_EQ(table.rows.at(1).at(1).tone, Tone::kWarn);
  EXPECT_EQ(table.rows.at(1).back().text, "-");  // no error without a comparison
  EXPECT_THAT(render_markdown(table), HasSubstr("| unchecked |"));
  EXPECT_THAT(records_to_csv(records), HasSubstr("unchecked"));
  EXPECT_THAT(record_to_json(records[1]),
              AllOf(HasSubstr("\"status\":\"unchecked\""), HasSubstr("the workload has no check")));
}

TEST(UncheckedRecords, AnErrorOfAComparisonThatSkippedAllIsNotShown) {
  Record record = unchecked(test::ok_record("", 0.001));
  record.checks = {test::check(true)};
  record.checks[0].compared = 0;
  EXPECT_EQ(largest_error(record), std::nullopt);
  record.checks[0].compared = 1;
  EXPECT_EQ(largest_error(record), 3.3e-8);
}

TEST(UncheckedRecords, HaveAValueButNoEfficiencyInComparisons) {
  std::vector<Record> records = {test::result("block=64", "A", 50), test::result("block=256", "A", 100)};
  records[1] = unchecked(records[1]);
  const Portability report = compare_devices(records, {}, {});
  ASSERT_EQ(report.rows.size(), 3U);
  EXPECT_EQ(report.rows[0].devices[0].value, 50);  // the best variant is the one that is known to be right
  EXPECT_EQ(report.rows[1].devices[0].efficiency, 1);
  const DeviceEfficiency& result = report.rows[2].devices[0];
  EXPECT_EQ(result.status, "unchecked");
  EXPECT_EQ(result.value, 100);
  EXPECT_EQ(result.baseline, 50);
  EXPECT_EQ(result.efficiency, std::nullopt);
  EXPECT_EQ(report.rows[2].harmonic, std::nullopt);
  const std::string text = portability_to_terminal(report, TextStyle{});
  EXPECT_THAT(text, AllOf(HasSubstr("100 (unchecked)"), HasSubstr("note: 1 of 2 records are unchecked")));
  EXPECT_THAT(portability_to_json(report, {}), HasSubstr("\"status\": \"unchecked\""));
  EXPECT_THAT(portability_to_csv(report), HasSubstr(",unchecked,100,"));
}

TEST(UncheckedRecords, AreNoBaseline) {
  const std::vector<Record> records = {test::result("", "A", 50)};
  const std::vector<Record> reference = {unchecked(test::result("", "A", 100))};
  const Portability report = compare_devices(records, reference, {});
  EXPECT_EQ(report.rows.at(0).devices[0].baseline, std::nullopt);
  EXPECT_EQ(report.rows[0].devices[0].efficiency, std::nullopt);
}

TEST(UncheckedRecords, AreMarkedOnThePageAndLeftOutOfThePapersColumns) {
  const std::vector<Record> records = {test::result("block=64", "A", 50),
                                       unchecked(test::result("block=256", "A", 100))};
  const Portability report = compare_devices(records, {}, {});
  EXPECT_THAT(html_page({records, report, {}, {}}),
              AllOf(HasSubstr("class=\"warn\">unchecked<"), HasSubstr("\"status\":\"unchecked\""),
                    HasSubstr("records are unchecked")));
  EXPECT_THAT(records_to_paper_csv(records), AllOf(HasSubstr(",50\n"), Not(HasSubstr(",100\n"))));
}

}  // namespace
}  // namespace kiln
