#include "report/running_mark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "record/sample_records.h"
#include "support/recording_log.h"

namespace kiln {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class RunningMarkTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = files_->make_unique_directory(std::filesystem::temp_directory_path() / "mark-test-");
  }
  void TearDown() override { files_->remove_all(folder_); }

  /// A process that ends without a message.
  void in_a_process_that_ends(const std::function<void(RunningMark&)>& action) {
    const pid_t child = ::fork();
    if (child == 0) {
      RunningMark mark(folder_);
      action(mark);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
  }

  /// "label: status: message" of each record after a look at the marks.
  std::vector<std::string> records() {
    RecordFile file(*files_, folder_);
    record_crashed_variants(*files_, file, log_);
    std::vector<std::string> texts;
    for (const Record& record : file.read(log_))
      texts.push_back(record.label + ": " + to_string(record.status) + ": " + record.message);
    return texts;
  }

  std::vector<std::string> marks() {
    std::vector<std::string> names = files_->list(folder_);
    std::erase(names, "records.jsonl");
    return names;
  }

  std::unique_ptr<FileSystem> files_ = make_real_file_system();
  std::filesystem::path folder_;
  test::RecordingLog log_;
};

TEST_F(RunningMarkTest, AVariantThatEndedItsProcessIsRecordedOnce) {
  in_a_process_that_ends([](RunningMark& mark) { mark.begin(test::ok_record("a", 1)); });
  in_a_process_that_ends([](RunningMark& mark) {
    mark.begin(test::ok_record("b", 1));
    const std::string how = "signal 11 in kernel 'k'\n";
    ASSERT_GT(::write(mark.descriptor(), how.data(), how.size()), 0);
  });
  EXPECT_THAT(records(),
              testing::UnorderedElementsAre(HasSubstr("a: crashed: the process ended while this variant ran, "
                                                      "without a message"),
                                            "b: crashed: the process ended while this variant ran: signal 11 "
                                            "in kernel 'k'"));
  EXPECT_EQ(log_.warnings().size(), 2U);
  EXPECT_EQ(records().size(), 2U);
  EXPECT_THAT(marks(), IsEmpty());
}

TEST_F(RunningMarkTest, AMarkThatIsHeldStays) {
  RunningMark mark(folder_);
  mark.begin(test::ok_record("a", 1));
  EXPECT_THAT(records(), IsEmpty());
  EXPECT_EQ(marks().size(), 1U);
  mark.end();
  mark.remove();
  EXPECT_THAT(marks(), IsEmpty());
}

TEST_F(RunningMarkTest, WhatIsRecordedOrWasInterruptedOrHadNotBegunDidNotCrash) {
  const Record record = test::ok_record("a", 1);
  RecordFile(*files_, folder_).append(record);
  in_a_process_that_ends([&](RunningMark& mark) { mark.begin(record); });
  in_a_process_that_ends([](RunningMark& mark) {
    mark.begin(test::ok_record("b", 1));
    mark.interrupt();
  });
  in_a_process_that_ends([](RunningMark& mark) {
    mark.begin(test::ok_record("c", 1));
    mark.end();
  });
  EXPECT_EQ(marks().size(), 3U);
  EXPECT_THAT(records(), ElementsAre(HasSubstr("a: ok")));
  EXPECT_THAT(marks(), IsEmpty());
}

}  // namespace
}  // namespace kiln
