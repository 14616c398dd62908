#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

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

TEST_F(RealFileSystemTest, ALineIsNeverAddedToOneThatWasCutOff) {
  files_->append_line(at("lines"), "one");
  files_->append_line(at("lines"), "two");
  files_->append_file(at("lines"), "cut o");
  fs::create_symlink(at("lines"), at("link"));
  files_->append_line(at("link"), "three");
  EXPECT_EQ(files_->read_file(at("lines")), "one\ntwo\ncut o\nthree\n");
  EXPECT_EQ(files_->status(at("link"))->type, FileStatus::Type::kSymlink);
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
