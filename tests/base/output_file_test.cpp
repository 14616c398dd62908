#include "base/output_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <future>
#include <string>

namespace kiln {
namespace {

using testing::ElementsAre;

class OutputFileTest : public ::testing::Test {
 protected:
  OutputFileTest()
      : folder_(files_->make_unique_directory(std::filesystem::temp_directory_path() / "kiln_output_")) {}
  ~OutputFileTest() override { files_->remove_all(folder_); }

  std::error_code refusal(const std::filesystem::path& file) {
    try {
      write_output_file(*files_, file, "new");
    } catch (const std::filesystem::filesystem_error& error) {
      return error.code();
    }
    return {};
  }
  std::string content(const std::string& name) {
    return files_->read_file(folder_ / name).value_or("absent");
  }

  std::unique_ptr<FileSystem> files_ = make_real_file_system();
  std::filesystem::path folder_;
};

TEST_F(OutputFileTest, APlainFileIsReplacedInOneStepAndKeepsItsMode) {
  files_->write_file(folder_ / "out", "old", false);
  std::filesystem::permissions(folder_ / "out", std::filesystem::perms{0600});
  {
    OutputFile output(*files_, folder_ / "out");
    files_->write_file(output.draft(), "new", false);
    EXPECT_EQ(content("out"), "old");
  }
  EXPECT_EQ(content("out"), "old") << "it was not finished";
  write_output_file(*files_, folder_ / "out", "new");
  EXPECT_EQ(content("out"), "new");
  EXPECT_EQ(files_->status(folder_ / "out")->mode, 0600U);
  write_output_file(*files_, folder_ / "made", "new");
  EXPECT_THAT(files_->list(folder_), ElementsAre("made", "out"));
}

TEST_F(OutputFileTest, ALinkStaysALink) {
  files_->write_file(folder_ / "out", "old", false);
  std::filesystem::create_symlink("out", folder_ / "link");
  std::filesystem::create_symlink(folder_ / "link", folder_ / "second");
  write_output_file(*files_, folder_ / "second", "new");
  EXPECT_EQ(content("out"), "new");
  EXPECT_EQ(files_->status(folder_ / "second")->type, FileStatus::Type::kSymlink);
  EXPECT_EQ(files_->status(folder_ / "link")->type, FileStatus::Type::kSymlink);
  std::filesystem::create_symlink("later", folder_ / "dangling");
  write_output_file(*files_, folder_ / "dangling", "made");
  EXPECT_EQ(content("later"), "made");
  std::filesystem::create_symlink("circle", folder_ / "circle");
  EXPECT_EQ(refusal(folder_ / "circle"), std::errc::too_many_symbolic_link_levels);
}

TEST_F(OutputFileTest, ALinkOfAnotherUserIsNotFollowed) {
  files_->write_file(folder_ / "out", "old", false);
  std::filesystem::create_symlink("out", folder_ / "link");
  if (::lchown((folder_ / "link").c_str(), current_user_id() + 1, static_cast<gid_t>(-1)) != 0)
    GTEST_SKIP() << "only root can make files of another user";
  EXPECT_EQ(refusal(folder_ / "link"), std::errc::permission_denied);
  EXPECT_EQ(content("out"), "old");
}

TEST_F(OutputFileTest, APipeIsWrittenTo) {
  const std::filesystem::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  auto reader = std::async(std::launch::async, [&] {
    const int fd = ::open(pipe.c_str(), O_RDONLY);
    std::string text;
    char byte = 0;
    while (::read(fd, &byte, 1) == 1) text += byte;
    ::close(fd);
    return text;
  });
  write_output_file(*files_, pipe, "new");
  EXPECT_EQ(reader.get(), "new");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_THAT(files_->list(folder_), ElementsAre("pipe"));
}

TEST_F(OutputFileTest, ADeviceIsWrittenToAndStays) {
  const std::filesystem::path device = folder_ / "null";
  if (::mknod(device.c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0)
    GTEST_SKIP() << "only root can make devices";
  if (const int fd = ::open(device.c_str(), O_WRONLY); fd < 0)
    GTEST_SKIP() << "devices cannot be used here";
  else
    ::close(fd);
  write_output_file(*files_, device, "new");
  EXPECT_TRUE(std::filesystem::is_character_file(device));
  EXPECT_THAT(files_->list(folder_), ElementsAre("null"));
}

TEST_F(OutputFileTest, AFolderASocketAndAnAbsentFolderAreRefused) {
  EXPECT_EQ(refusal(folder_), std::errc::is_a_directory);
  EXPECT_EQ(refusal(folder_ / "none" / "out"), std::errc::no_such_file_or_directory);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "none"));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = (folder_ / "socket").string();
  if (path.size() >= sizeof address.sun_path) GTEST_SKIP() << "the temporary folder's name is too long";
  path.copy(address.sun_path, path.size());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_TRUE(refusal(path));
  EXPECT_TRUE(std::filesystem::is_socket(path));
  ::close(fd);
}

TEST_F(OutputFileTest, AFileInAFolderThatIsNotWritableIsWrittenInPlace) {
  if (current_user_id() == 0) GTEST_SKIP() << "root may write everywhere";
  files_->write_file(folder_ / "out", "old", false);
  std::filesystem::permissions(folder_, std::filesystem::perms{0500});
  write_output_file(*files_, folder_ / "out", "new");
  std::filesystem::permissions(folder_, std::filesystem::perms{0700});
  EXPECT_EQ(content("out"), "new");
}

}  // namespace
}  // namespace kiln
