#include "compile/identity_memo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fake_clock.h"
#include "support/memory_file_system.h"
#include "support/recording_log.h"

namespace kiln {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class IdentityMemo : public testing::Test {
 protected:
  void SetUp() override {
    files_.make_directories("/cache", true);
    remember_identity(memo_, "/bin/g++\t1\t2", "g++ 12", files_, log_);
  }
  std::optional<std::string> recall() { return recall_identity(memo_, "/bin/g++\t1\t2", files_); }

  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
  test::RecordingLog log_;
  const std::filesystem::path memo_ = "/cache/compilers.json";
};

TEST_F(IdentityMemo, IsRecalledByItsStampAlone) {
  EXPECT_EQ(recall(), "g++ 12");
  EXPECT_EQ(recall_identity(memo_, "/bin/g++\t1\t3", files_), std::nullopt);
  EXPECT_THAT(files_.files_below("/cache"), ElementsAre("/cache/compilers.json"));
}

TEST_F(IdentityMemo, IsPassedOverWhereOthersMayHaveWrittenIt) {
  files_.set_mode(memo_, 0666);
  EXPECT_EQ(recall(), std::nullopt) << "anyone may write to the file";
  files_.set_mode(memo_, 0600);
  files_.set_owner(memo_, current_user_id() + 1);
  EXPECT_EQ(recall(), std::nullopt) << "the file belongs to another user";
  files_.set_owner(memo_, current_user_id());
  files_.set_mode("/cache", 0777);
  EXPECT_EQ(recall(), std::nullopt) << "anyone may write to its folder";
  files_.set_mode("/cache", 0700);
  EXPECT_EQ(recall(), "g++ 12");
}

TEST_F(IdentityMemo, IsPassedOverWhereItIsALink) {
  files_.add_symlink("/cache/link", "/cache/compilers.json");
  EXPECT_EQ(recall_identity("/cache/link", "/bin/g++\t1\t2", files_), std::nullopt);
}

TEST_F(IdentityMemo, IsNotWrittenIntoAFolderThatAnyoneMayWriteTo) {
  files_.make_directories("/shared", false);
  files_.set_mode("/shared", 0777);
  remember_identity("/shared/compilers.json", "/bin/g++\t1\t2", "g++ 12", files_, log_);
  EXPECT_THAT(files_.files_below("/shared"), IsEmpty());
}

}  // namespace
}  // namespace kiln
