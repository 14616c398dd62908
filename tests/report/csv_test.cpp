#include "report/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "record/sample_records.h"

namespace kiln {
namespace {

using ::testing::HasSubstr;

TEST(Csv, QuotesAsRfc4180Says) {
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
}

TEST(Csv, EveryLineHasEveryColumn) {
  Record wrong = test::wrong_record("b");
  wrong.message = "no comma";
  const std::string text = records_to_csv({test::ok_record("a", 0.001), wrong});
  const std::vector<std::string> lines = split(text, '\n');
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[3], "");
  EXPECT_EQ(lines[0].back(), '\r');
  const std::size_t columns = split(lines[0], ',').size();
  EXPECT_EQ(split(lines[1], ',').size(), columns);
  EXPECT_EQ(split(lines[2], ',').size(), columns);
  EXPECT_THAT(lines[0], HasSubstr("run_id,time,kiln_version,"));
  EXPECT_THAT(lines[0], HasSubstr(",device,device_name,driver,compiler,compiler_version,"));
  EXPECT_THAT(lines[0], HasSubstr(",status,message,steps_per_sample,"));
  EXPECT_THAT(lines[1], HasSubstr(",true,false,false,42,warm,ok,"));
  EXPECT_THAT(lines[0], HasSubstr(",param.nx,bind.nx,"));
  EXPECT_THAT(lines[0], HasSubstr("metric.effective_bandwidth"));
  EXPECT_THAT(lines[0], HasSubstr("laplacian.median_seconds"));
  EXPECT_THAT(lines[1], HasSubstr(",64,run,"));
}

TEST(Csv, ASpreadsheetFindsNoFormula) {
  EXPECT_EQ(csv_field("=1+1"), "'=1+1");
  EXPECT_EQ(csv_field("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(csv_field("+cmd|' /C calc'!A0"), "'+cmd|' /C calc'!A0");
  EXPECT_EQ(csv_field("-2+3,x"), "\"'-2+3,x\"");
  EXPECT_EQ(csv_field("\t=1"), "'\t=1");
  EXPECT_EQ(csv_field("\r=1"), "'\\x0d=1");
}

TEST(Csv, ANumberStaysANumber) {
  for (const char* number : {"-1", "-1.5e-300", "+2", "-inf", "0"}) EXPECT_EQ(csv_field(number), number);
}

TEST(Csv, ControlCharactersAreShown) {
  EXPECT_EQ(csv_field("a\033[2Jb\xff"), "a\\x1b[2Jb\\xff");
}

}  // namespace
}  // namespace kiln
