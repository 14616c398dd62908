#include <gmock/gmock.h>

#include "base/folder_trust.h"
#include "cache/disk_cache_fixture.h"

namespace kiln {
namespace {

using test::key_of;
using test::make_code;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class FailingDisk : public test::DiskCacheTest {
 protected:
  /// Nothing is read or written, and two uses give one warning.
  void expect_off(const std::string& why) {
    const std::size_t files = files_.files_below("/").size();
    log_.clear();
    for (int i = 0; i < 2; ++i) {
      EXPECT_FALSE(other_.load(key_).has_value());
      other_.publish(key_of("new"), make_code(), label_);
    }
    EXPECT_THAT(log_.warnings(),
                ElementsAre(testing::AllOf(HasSubstr(why), HasSubstr("/cache"), HasSubstr("cache_dir"))));
    EXPECT_THAT(other_.disabled_reason(), HasSubstr(why));
    EXPECT_EQ(other_.counters().hits + other_.counters().published, 0);
    EXPECT_EQ(files_.files_below("/").size(), files);
    EXPECT_THAT(other_.list(), IsEmpty());
    EXPECT_EQ(other_.verify().entries, 0);
    EXPECT_EQ(other_.clear(), 0);
  }
};

TEST_F(FailingDisk, ForeignFolderIsNotUsed) {
  cache_.publish(key_, make_code(), label_);
  files_.set_owner("/cache", 12345);
  expect_off("it belongs to user 12345");
}

TEST_F(FailingDisk, ForeignFormatFolderIsNotUsed) {
  cache_.publish(key_, make_code(), label_);
  files_.set_owner("/cache/v1", 12345);
  expect_off("it belongs to user 12345");
}

TEST_F(FailingDisk, WorldWritableFolderIsNotUsed) {
  cache_.publish(key_, make_code(), label_);
  files_.set_mode("/cache", 0777);
  expect_off("anyone may write to it");
}

TEST_F(FailingDisk, AFileInsteadOfTheFolder) {
  files_.write_file("/cache", "a file", false);
  expect_off("it is not a directory");
}

TEST_F(FailingDisk, StickyFolderIsUsed) {
  cache_.publish(key_, make_code(), label_);
  files_.set_mode("/cache", 01777);
  EXPECT_TRUE(cache_.load(key_).has_value());
}

TEST_F(FailingDisk, RootMayOwnTheFolder) {
  cache_.publish(key_, make_code(), label_);
  files_.set_owner("/cache", 0);
  files_.set_owner(entry_of(key_), 0);
  EXPECT_TRUE(cache_.load(key_).has_value());
}

TEST_F(FailingDisk, LinkToTheFolderIsFollowedAndJudgedByWhereItLeads) {
  files_.make_directories("/scratch/kiln", true);
  files_.add_symlink("/cache", "/scratch/kiln");
  cache_.publish(key_, make_code(), label_);
  EXPECT_TRUE(cache_.load(key_).has_value());
  files_.set_mode("/scratch/kiln", 0777);
  expect_off("anyone may write to it");
}

TEST_F(FailingDisk, ReadOnlyFolderIsStillRead) {
  cache_.publish(key_, make_code(), label_);
  files_.set_read_only(true);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(other_.load(key_).has_value());
    EXPECT_NO_THROW(other_.publish(key_of("new"), make_code(), label_));
  }
  EXPECT_THAT(log_.warnings(), ElementsAre(HasSubstr("Read-only file system")));
  EXPECT_THAT(other_.disabled_reason(), HasSubstr("Read-only file system"));
  EXPECT_EQ(other_.counters().failed_writes, 1);
  EXPECT_EQ(other_.counters().hits, 2);
}

TEST_F(FailingDisk, FullDiskLeavesNothingBehind) {
  cache_.publish(key_, make_code(), label_);
  const auto before = files_.files_below("/");
  files_.set_full(true);
  other_.publish(key_of("new"), make_code(), label_);
  other_.publish(key_of("newer"), make_code(), label_);
  EXPECT_THAT(log_.warnings(), ElementsAre(HasSubstr("No space left on device")));
  EXPECT_EQ(other_.counters().failed_writes, 1);
  EXPECT_EQ(files_.files_below("/"), before);
  EXPECT_THAT(files_.list("/cache/tmp"), IsEmpty());
  EXPECT_TRUE(other_.load(key_).has_value());
}

TEST_F(FailingDisk, EachFailingWriteLeavesNoEntry) {
  for (int n = 1; n <= 5; ++n) {
    DiskCache fresh(files_, clock_, log_, "/cache");
    files_.fail_write(n, std::errc::io_error);
    fresh.publish(key_, make_code(), label_);
    EXPECT_EQ(fresh.counters().failed_writes, 1) << n;
    EXPECT_THAT(files_.files_below("/"), IsEmpty()) << n;
  }
  cache_.publish(key_, make_code(), label_);
  EXPECT_TRUE(cache_.load(key_).has_value());
}

TEST_F(FailingDisk, NameThatIsNotUtf8IsNotKept) {
  CodeObject code = make_code();
  code.lowered_names["\xff"] = "_Zk";
  cache_.publish(key_, code, label_);
  EXPECT_EQ(cache_.counters().failed_writes, 1);
  EXPECT_EQ(log_.warnings().size(), 1);
  cache_.publish(key_, make_code(), label_);
  EXPECT_EQ(cache_.counters().published, 1);
}

TEST_F(FailingDisk, AbsentFolderIsTrusted) {
  EXPECT_EQ(find_distrust(files_, "/absent"), std::nullopt);
}

/// Another process makes the folder right after this one has looked for it.
class MadeMeanwhile : public test::MemoryFileSystem {
 public:
  using MemoryFileSystem::MemoryFileSystem;
  std::optional<FileStatus> status(const Path& path) override {
    const auto found = MemoryFileSystem::status(path);
    make_directories("/made", true);
    return found;
  }
};

TEST_F(FailingDisk, AFolderThatIsMadeMeanwhileIsTrusted) {
  MadeMeanwhile files(clock_);
  EXPECT_EQ(find_distrust(files, "/made"), std::nullopt);
}

}  // namespace
}  // namespace kiln
