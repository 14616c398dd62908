#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <thread>

namespace kiln {
namespace {

namespace fs = std::filesystem;

class RealFileSystemTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = files_->make_unique_directory(fs::temp_directory_path() / "kiln-file-test-");
  }
  void TearDown() override { files_->remove_all(root_); }

  [[nodiscard]] fs::path at(const std::string& name) const { return root_ / name; }

  std::unique_ptr<FileSystem> files_ = make_real_file_system();
  fs::path root_;
};

TEST_F(RealFileSystemTest, WritesAndReadsBytes) {
  const std::string bytes("a\0b\r\n", 5);
  files_->write_file(at("x"), bytes, true);
  EXPECT_EQ(files_->read_file(at("x")), bytes);
  files_->write_file(at("x"), "short", false);
  EXPECT_EQ(files_->read_file(at("x")), "short");
  files_->append_file(at("x"), "er");
  EXPECT_EQ(files_->read_file(at("x")), "shorter");
  files_->append_file(at("new"), "1");
  EXPECT_EQ(files_->read_file(at("new")), "1");
}

TEST_F(RealFileSystemTest, LargeFile) {
  const std::string bytes(std::size_t{5} << 20, 'k');
  files_->write_file(at("x"), bytes, true);
  EXPECT_EQ(files_->read_file(at("x")), bytes);
}

TEST_F(RealFileSystemTest, AbsenceIsNotAnError) {
  EXPECT_EQ(files_->read_file(at("x")), std::nullopt);
  EXPECT_EQ(files_->read_file(at("x/y")), std::nullopt);
  EXPECT_FALSE(files_->status(at("x")).has_value());
  EXPECT_TRUE(files_->list(at("x")).empty());
  EXPECT_NO_THROW(files_->remove_all(at("x")));
}

TEST_F(RealFileSystemTest, FailuresCarryTheCode) {
  try {
    files_->write_file(at("no/such/folder"), "x", false);
    FAIL() << "should have thrown";
  } catch (const fs::filesystem_error& error) {
    EXPECT_EQ(error.code(), std::errc::no_such_file_or_directory);
    EXPECT_EQ(error.path1(), at("no/such/folder"));
  }
  EXPECT_THROW((void)files_->read_file(root_), fs::filesystem_error);
  files_->write_file(at("file"), "", false);
  EXPECT_THROW(files_->make_directories(at("file"), false), fs::filesystem_error);
  EXPECT_THROW(files_->make_directories(at("file/below"), false), fs::filesystem_error);
}

TEST_F(RealFileSystemTest, StatusTellsTypeSizeOwner) {
  files_->write_file(at("x"), "12345", false);
  const auto status = files_->status(at("x"));
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(status->type, FileStatus::Type::kFile);
  EXPECT_EQ(status->size, 5);
  EXPECT_EQ(status->owner, current_user_id());
  EXPECT_GT(status->modified_ns, 1'700'000'000'000'000'000);
  fs::create_symlink(at("x"), at("link"));
  EXPECT_EQ(files_->status(at("link"))->type, FileStatus::Type::kSymlink);
  EXPECT_EQ(files_->status(root_)->type, FileStatus::Type::kDirectory);
  EXPECT_EQ(files_->status(root_)->mode, 0700);
}

TEST_F(RealFileSystemTest, ListIsSorted) {
  for (const char* name : {"b", "a", "c"}) files_->write_file(at(name), "", false);
  EXPECT_EQ(files_->list(root_), std::vector<std::string>({"a", "b", "c"}));
}

TEST_F(RealFileSystemTest, MakesParents) {
  files_->make_directories(at("p/q/r"), true);
  EXPECT_EQ(files_->status(at("p/q/r"))->mode, 0700);
  EXPECT_NO_THROW(files_->make_directories(at("p/q/r/"), true));
  files_->make_directories(at("t/u/"), false);
  EXPECT_EQ(files_->status(at("t/u"))->type, FileStatus::Type::kDirectory);
}

TEST_F(RealFileSystemTest, UniqueDirectoriesDiffer) {
  const fs::path first = files_->make_unique_directory(at("tmp-"));
  const fs::path second = files_->make_unique_directory(at("tmp-"));
  EXPECT_NE(first, second);
  EXPECT_EQ(first.parent_path(), root_);
  EXPECT_EQ(files_->status(second)->mode, 0700);
}

TEST_F(RealFileSystemTest, RenameOntoAFullDirectoryIsALostRace) {
  files_->make_directories(at("mine"), true);
  files_->write_file(at("mine/x"), "mine", false);
  EXPECT_TRUE(files_->rename(at("mine"), at("entry")));
  files_->make_directories(at("mine"), true);
  files_->write_file(at("mine/x"), "late", false);
  EXPECT_FALSE(files_->rename(at("mine"), at("entry")));
  EXPECT_EQ(files_->read_file(at("entry/x")), "mine");
  files_->make_directories(at("empty"), true);
  EXPECT_TRUE(files_->rename(at("mine"), at("empty")));
  EXPECT_THROW((void)files_->rename(at("absent"), at("y")), fs::filesystem_error);
}

TEST_F(RealFileSystemTest, OneWinnerOfManyRenames) {
  constexpr int kThreads = 8;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  std::atomic<int> winners = 0;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([this, i, &winners] {
      const fs::path mine = files_->make_unique_directory(at("tmp-"));
      files_->write_file(mine / "x", std::to_string(i), true);
      if (files_->rename(mine, at("entry"))) ++winners;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(winners, 1);
  EXPECT_EQ(files_->list(root_).size(), kThreads);
}

TEST_F(RealFileSystemTest, RemoveAllDoesNotFollowLinks) {
  files_->make_directories(at("keep"), true);
  files_->write_file(at("keep/x"), "x", false);
  files_->make_directories(at("gone/deep"), true);
  fs::create_directory_symlink(at("keep"), at("gone/deep/link"));
  fs::create_directory_symlink(at("keep"), at("link"));
  files_->remove_all(at("gone"));
  files_->remove_all(at("link"));
  EXPECT_FALSE(files_->status(at("gone")).has_value());
  EXPECT_FALSE(files_->status(at("link")).has_value());
  EXPECT_EQ(files_->read_file(at("keep/x")), "x");
}

TEST_F(RealFileSystemTest, SyncsADirectory) {
  EXPECT_NO_THROW(files_->sync_directory(root_));
  EXPECT_THROW(files_->sync_directory(at("absent")), fs::filesystem_error);
}

TEST_F(RealFileSystemTest, FullDiskIsReported) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "this machine has no /dev/full";
  try {
    files_->append_file("/dev/full", "x");
    FAIL() << "should have thrown";
  } catch (const fs::filesystem_error& error) {
    EXPECT_EQ(error.code(), std::errc::no_space_on_device);
  }
}

TEST_F(RealFileSystemTest, UnwritableFolderIsReported) {
  if (current_user_id() == 0) GTEST_SKIP() << "root may write anywhere";
  ::chmod(root_.c_str(), 0500);
  EXPECT_THROW(files_->write_file(at("x"), "", false), fs::filesystem_error);
  EXPECT_THROW((void)files_->make_unique_directory(at("tmp-")), fs::filesystem_error);
  ::chmod(root_.c_str(), 0700);
}

}  // namespace
}  // namespace kiln
