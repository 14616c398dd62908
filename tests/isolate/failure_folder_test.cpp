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
  Diagnostic keep(const std::string& source_name = "axpy.cu") {
    Capsule capsule;
    capsule.specialization = test::make_specialization();
    capsule.specialization.source_name = source_name;
    Diagnostic diagnostic{"axpy.cu: error: crashed", "log", "g++ axpy.cu", false, true};
    folder_.keep(capsule, diagnostic);
    return diagnostic;
  }

  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
  test::RecordingLog log_;
  FailureFolder folder_{files_, clock_, log_, "/cache/failures"};
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
