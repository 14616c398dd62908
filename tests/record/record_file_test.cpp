#include "record/record_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/text.h"
#include "kiln/error.h"
#include "record/record_json.h"
#include "record/sample_records.h"
#include "support/error_matchers.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"
#include "support/recording_log.h"

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

class RecordFiles : public ::testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    files_.make_directories(std::filesystem::path(path).parent_path(), false);
    files_.write_file(path, text, false);
  }

  std::string read_refused(const std::string& path) {
    return test::bad_input_of([&] { static_cast<void>(read_records(files_, {path}, log_)); });
  }

  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
  test::RecordingLog log_;
};

TEST_F(RecordFiles, AreReadInTheOrderInWhichTheyAreNamed) {
  const auto line = [](const char* label) { return record_to_json(test::ok_record(label, 1)) + "\n"; };
  write("/r/b/records.jsonl", line("b1") + "\n" + line("b2"));
  write("/single.jsonl", line("s"));
  std::vector<std::string> labels;
  for (const Record& record : read_records(files_, {"/single.jsonl", "/r/b/records.jsonl"}, log_))
    labels.push_back(record.label);
  EXPECT_THAT(labels, ::testing::ElementsAre("s", "b1", "b2"));
}

TEST_F(RecordFiles, LinesThatCrashesCutOffAreWarningsAndHideNothing) {
  const auto line = [](const char* label) { return record_to_json(test::ok_record(label, 1)); };
  write("/r/records.jsonl", line("a") + "\n" + line("torn").substr(0, 40) + "\n" + line("torn").substr(0, 9) +
                                line("b") + "\n" + std::string(20, '\0') + line("c") + "\n" + line("d") +
                                "\n{\"form");
  std::vector<std::string> labels;
  for (const Record& record : read_records(files_, {"/r/records.jsonl"}, log_))
    labels.push_back(record.label);
  EXPECT_THAT(labels, ::testing::ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(log_.warnings(),
              ::testing::ElementsAre(HasSubstr("records.jsonl:2: a crash cut this line off"),
                                     HasSubstr("records.jsonl:3:"), HasSubstr("records.jsonl:4:"),
                                     HasSubstr("records.jsonl:6:")));
}

TEST_F(RecordFiles, WhatIsNotThereOrNoRecordIsNamed) {
  EXPECT_THAT(read_refused("/nothing"), HasSubstr("/nothing"));
  write("/bad/records.jsonl", record_to_json(test::ok_record("", 1)) + "\n{\n");
  EXPECT_THAT(read_refused("/bad/records.jsonl"), HasSubstr("/bad/records.jsonl:2:2: expected JSON"));
}

TEST_F(RecordFiles, OfOtherRanksAndRunsAreReadWithTheFoldersOwn) {
  const auto line = [](const char* label) { return record_to_json(test::ok_record(label, 1)) + "\n"; };
  write("/r/records.jsonl", line("own"));
  write("/r/records-rank1.jsonl", line("rank 1"));
  write("/r/records.jsonl.old", "no record");
  write("/r/study.jsonl", "no record");
  std::vector<std::string> labels;
  for (const Record& record : RecordFile(files_, "/r").read(log_)) labels.push_back(record.label);
  EXPECT_THAT(labels, ::testing::UnorderedElementsAre("own", "rank 1"));
}

}  // namespace
}  // namespace kiln
