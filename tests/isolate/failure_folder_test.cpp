#include "isolate/failure_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fake_clock.h"
#include "support/fake_compiler.h"
#include "support/memory_file_system.h"
#include "support/recording_log.h"

namespace kiln {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class FailureFolderTest : public testing::Test {
 protected:
  FailureFolderTest() { files_.make_directories("/tmp", false); }

  Diagnostic keep(const std::string& source_name = "axpy.cu") {
    Capsule capsule;
    capsule.specialization = test::make_specialization();
    capsule.specialization.source_name = source_name;
    Diagnostic diagnostic{"axpy.cu: error: crashed", "log", "g++ axpy.cu", false, true};
    folder_.keep(capsule, diagnostic);
    return diagnostic;
  }

  /// Capsules in a folder of another name and owner, which must not be changed.
  void make_folder_of_another(const std::string& path) {
    files_.make_directories(path, true);
    for (int i = 0; i < 30; ++i) files_.make_directories(path + "/kept" + std::to_string(i), true);
  }
  void expect_kept_apart(const std::string& why) {
    for (int i = 0; i < 25; ++i) EXPECT_THAT(keep().capsule, StartsWith("/tmp/kiln-failures-7-"));
    ASSERT_EQ(log_.warnings().size(), 1U);
    EXPECT_THAT(log_.warnings()[0], HasSubstr("not in '/cache/failures': " + why));
    EXPECT_EQ(files_.list("/tmp").size(), 1U);
    EXPECT_EQ(files_.list("/tmp/" + files_.list("/tmp")[0]).size(), 20U);
  }

  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
  test::RecordingLog log_;
  FailureFolder folder_{files_, clock_, log_, "/cache/failures", "/tmp/kiln-failures-7-"};
};

TEST_F(FailureFolderTest, KeepsACapsuleAndSaysHowToRepeatIt) {
  const Diagnostic diagnostic = keep();
  EXPECT_THAT(diagnostic.capsule, StartsWith("/cache/failures/20260101T000000000-axpy.cu-"));
  EXPECT_EQ(diagnostic.command, "kiln replay " + diagnostic.capsule);
  EXPECT_EQ(diagnostic.summary, "axpy.cu: error: crashed; repeat it with: " + diagnostic.command);
  EXPECT_EQ(diagnostic.log, "log");
  EXPECT_EQ(read_failure(files_, diagnostic.capsule), "axpy.cu: error: crashed");
  EXPECT_EQ(read_capsule(files_, diagnostic.capsule).specialization.source_text,
            test::make_specialization().source_text);
}

TEST_F(FailureFolderTest, KeepsTheNewestOnly) {
  const Diagnostic first = keep();
  for (int i = 0; i < 25; ++i) {
    clock_.advance(1);
    keep();
  }
  EXPECT_EQ(files_.list("/cache/failures").size(), 20U);
  EXPECT_FALSE(files_.status(first.capsule));
}

TEST_F(FailureFolderTest, OldOnesAreRemoved) {
  const Diagnostic old = keep();
  clock_.advance(1000);
  const Diagnostic young = keep();
  EXPECT_EQ(remove_old_capsules(files_, clock_, "/cache/failures", 500, true), 1U);
  EXPECT_TRUE(files_.status(old.capsule));
  EXPECT_EQ(remove_old_capsules(files_, clock_, "/cache/failures", 500, false), 1U);
  EXPECT_FALSE(files_.status(old.capsule));
  EXPECT_TRUE(files_.status(young.capsule));
  EXPECT_EQ(remove_old_capsules(files_, clock_, "/absent", 0, false), 0U);
}

TEST_F(FailureFolderTest, AFolderOfAnotherUserIsNotUsed) {
  make_folder_of_another("/cache/failures");
  files_.set_owner("/cache/failures", current_user_id() + 1);
  expect_kept_apart("it belongs to user ");
  EXPECT_EQ(files_.list("/cache/failures").size(), 30U);
}

TEST_F(FailureFolderTest, ALinkIsNotFollowed) {
  make_folder_of_another("/home/victim");
  files_.make_directories("/cache", true);
  files_.add_symlink("/cache/failures", "/home/victim");
  expect_kept_apart("it is a symbolic link");
  EXPECT_EQ(files_.list("/home/victim").size(), 30U);
  clock_.advance(1000);
  EXPECT_EQ(remove_old_capsules(files_, clock_, "/cache/failures", 0, false), 0U);
  EXPECT_EQ(files_.list("/home/victim").size(), 30U);
}

TEST_F(FailureFolderTest, AFolderThatOthersMayWriteToIsNotUsed) {
  make_folder_of_another("/cache/failures");
  files_.set_mode("/cache/failures", 0777);
  expect_kept_apart("others may write to it");
}

TEST_F(FailureFolderTest, AFolderThatOthersMayReplaceIsNotUsed) {
  make_folder_of_another("/cache/failures");
  files_.set_mode("/cache", 0777);
  expect_kept_apart("'/cache' is not safe, anyone may write to it");
  files_.set_mode("/cache", 01777);  // as /tmp is
  EXPECT_THAT(keep().capsule, StartsWith("/cache/failures/"));
}

TEST_F(FailureFolderTest, WhatIsNoCapsuleStays) {
  make_folder_of_another("/cache/failures");
  files_.make_directories("/cache/failures/20250101T000000000-mine.cu-AAAAAA", true);
  files_.write_file("/cache/failures/20250101T000000000-mine.cu-AAAAAA/thesis.tex", "text", false);
  for (int i = 0; i < 25; ++i) {
    clock_.advance(1);
    keep();
  }
  EXPECT_EQ(files_.list("/cache/failures").size(), 30U + 1 + 20);
  clock_.advance(1000);
  EXPECT_EQ(remove_old_capsules(files_, clock_, "/cache/failures", 500, false), 20U);
  EXPECT_EQ(files_.list("/cache/failures").size(), 30U + 1);
}

TEST_F(FailureFolderTest, NamesOfSourcesAreMadeHarmless) {
  const Diagnostic diagnostic = keep("../../etc/$(rm) x.cu");
  EXPECT_THAT(diagnostic.capsule, StartsWith("/cache/failures/20260101T000000000-.._.._etc___rm__x.cu-"));
}

TEST_F(FailureFolderTest, ADiskThatRefusesIsLogged) {
  files_.set_read_only(true);
  const Diagnostic diagnostic = keep();
  EXPECT_EQ(diagnostic.summary, "axpy.cu: error: crashed");
  EXPECT_EQ(diagnostic.capsule, "");
  ASSERT_EQ(log_.warnings().size(), 1U);
  EXPECT_THAT(log_.warnings()[0], HasSubstr("no capsule"));
}

}  // namespace
}  // namespace kiln
