#include "base/scratch_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

namespace kiln {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SharedScratch : public testing::Test {
 protected:
  void SetUp() override {
    below_ = files_->make_unique_directory(std::filesystem::temp_directory_path() / "scratch-test-");
  }
  void TearDown() override { files_->remove_all(below_); }

  /// The name that a process makes which then ends.
  std::string left_by_the_dead() {
    const pid_t child = ::fork();
    if (child == 0) {
      static_cast<void>(make_shared_scratch(*files_, below_, "cpu").release());
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    for (const std::string& name : files_->list(below_)) {
      if (name.find("-" + std::to_string(child) + "-") != std::string::npos) return name;
    }
    return "";
  }

  std::unique_ptr<FileSystem> files_ = make_real_file_system();
  std::unique_ptr<Clock> clock_ = make_system_clock();
  std::filesystem::path below_;
};

TEST_F(SharedScratch, OnlyWhatTheDeadLeftIsCollected) {
  const ScratchFolder own = make_shared_scratch(*files_, below_, "cpu");
  const std::string left = left_by_the_dead();
  ASSERT_NE(left, "");
  files_->make_directories(below_ / "kiln-of-somebody", true);
  EXPECT_EQ(collect_scratch(*files_, below_, clock_->system_ns(), true), 1U);
  EXPECT_TRUE(files_->status(below_ / left)) << "a dry run removes nothing";
  EXPECT_EQ(collect_scratch(*files_, below_, clock_->system_ns()), 1U);
  EXPECT_FALSE(files_->status(below_ / left));
  EXPECT_THAT(files_->list(below_), ElementsAre(own.get().path.filename(), "kiln-of-somebody"));
}

TEST_F(SharedScratch, WhatCannotBeJudgedFromHereGoesAfterADay) {
  files_->make_directories(below_ / "kiln-0123456789ab-4711-881234-cpu-XyZ123", true);
  const std::int64_t now = clock_->system_ns();
  constexpr std::int64_t kHour = 3'600'000'000'000;
  EXPECT_EQ(collect_scratch(*files_, below_, now + 23 * kHour), 0U);
  EXPECT_EQ(collect_scratch(*files_, below_, now + 25 * kHour), 1U);
  EXPECT_THAT(files_->list(below_), IsEmpty());
}

TEST_F(SharedScratch, AProcessRemovesItsOwn) {
  static_cast<void>(make_shared_scratch(*files_, below_, "cpu").release());
  files_->make_directories(below_ / "kiln-0123456789ab-4711-881234-cpu-XyZ123", true);
  remove_own_scratch(*files_, below_);
  EXPECT_THAT(files_->list(below_), ElementsAre("kiln-0123456789ab-4711-881234-cpu-XyZ123"));
}

TEST_F(SharedScratch, OneThatCannotBeMadeNamesTheFolderAndTheVariable) {
  const std::filesystem::path missing = below_ / "missing";
  try {
    static_cast<void>(make_shared_scratch(*files_, missing, "cpu"));
    FAIL() << "expected a refusal";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("TMPDIR"), HasSubstr("'" + missing.string() + "'"),
                                    HasSubstr("No such file or directory")));
  }
  EXPECT_FALSE(files_->status(missing)) << "a mistyped path must not become a folder";
}

}  // namespace
}  // namespace kiln
