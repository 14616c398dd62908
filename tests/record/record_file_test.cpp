#include "record/record_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/text.h"
#include "kiln/error.h"
#include "record/record_json.h"
#include "record/sample_records.h"
#include "support/memory_file_system.h"

namespace kiln {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RecordFileTest : public ::testing::Test {
 protected:
  std::string refusal(const RecordFile& file) {
    try {
      file.require_writable();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    return "";
  }

  std::unique_ptr<Clock> clock_ = make_system_clock();
  test::MemoryFileSystem files_{*clock_};
};

TEST_F(RecordFileTest, AddsALineForEachRecordAndMakesTheFolderOnlyThen) {
  RecordFile file(files_, "/results/new");
  EXPECT_EQ(refusal(file), "");
  EXPECT_FALSE(files_.status("/results").has_value());
  EXPECT_THAT(files_.list("/"), IsEmpty());
  const Record record = test::ok_record("a", 1);
  file.append(record);
  RecordFile(files_, "/results/new").append(record);
  EXPECT_EQ(files_.read_file("/results/new/records.jsonl"),
            record_to_json(record) + "\n" + record_to_json(record) + "\n");
  EXPECT_EQ(refusal(file), "");
}

TEST_F(RecordFileTest, AFolderThatCannotBeWrittenIsBadInputThatNamesIt) {
  files_.set_read_only(true);
  EXPECT_THAT(refusal(RecordFile(files_, "/results")),
              HasSubstr("the output folder '/results' cannot be written: Read-only"));
}

TEST_F(RecordFileTest, AFileInTheWayIsFoundBeforeTheRun) {
  files_.write_file("/results", "not a folder", false);
  EXPECT_THAT(refusal(RecordFile(files_, "/results/x")), HasSubstr("'/results/x' cannot be written"));
}

TEST_F(RecordFileTest, ADiskThatFillsUpIsAnErrorOfTheEnvironment) {
  RecordFile file(files_, "/results");
  files_.set_full(true);
  try {
    file.append(test::ok_record("a", 1));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_THAT(error.what(), HasSubstr("/results/records.jsonl"));
  }
}

}  // namespace
}  // namespace kiln
