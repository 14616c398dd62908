#include "base/folder_lock.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <optional>
#include <thread>

#include "base/file.h"
#include "base/pipe.h"
#include "kiln/error.h"

namespace kiln {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class FolderLockTest : public ::testing::Test {
 protected:
  FolderLockTest() : files_(make_real_file_system()) {
    folder_ = files_->make_unique_directory(std::filesystem::temp_directory_path() / "kiln_lock_");
  }
  ~FolderLockTest() override { files_->remove_all(folder_); }

  std::string refusal(double wait_seconds = 0, FolderLock::Kind kind = FolderLock::Kind::kExclusive) {
    try {
      const FolderLock lock(folder_ / "out", ".lock", "kiln run second.yaml", kind, wait_seconds);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    return "";
  }

  std::unique_ptr<FileSystem> files_;
  std::filesystem::path folder_;
};

TEST_F(FolderLockTest, TheSecondIsRefusedAndToldOfTheFirst) {
  {
    const FolderLock lock(folder_ / "out", ".lock", "kiln run first.yaml");
    EXPECT_THAT(refusal(), AllOf(HasSubstr("out' is in use: kiln run first.yaml, process " +
                                           std::to_string(::getpid()) + " on "),
                                 HasSubstr("name another folder")));
    EXPECT_THAT(FolderLock::holder(folder_ / "out", ".lock"), HasSubstr("first.yaml"));
    const FolderLock other(folder_ / "out", ".lock-shard-1-of-2", "kiln run first.yaml");
  }
  EXPECT_EQ(FolderLock::holder(folder_ / "out", ".lock"), "");
  EXPECT_TRUE(std::filesystem::is_empty(folder_)) << "nothing stays";
  EXPECT_EQ(refusal(), "");
}

TEST_F(FolderLockTest, AFolderThatNobodyHasFilledGoesWithIt) {
  { const FolderLock lock(folder_ / "new" / "out", ".lock", "first"); }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  {
    const FolderLock lock(folder_ / "new" / "out", ".lock", "first");
    files_->write_file(folder_ / "new" / "records", "", false);
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "new" / "out"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "new" / "records"));
}

TEST_F(FolderLockTest, ThoseThatAppendShareItAndNobodyElse) {
  constexpr auto kShared = FolderLock::Kind::kShared;
  std::optional<FolderLock> first, second;
  first.emplace(folder_ / "out", ".lock", "first", kShared);
  second.emplace(folder_ / "out", ".lock", "second", kShared);
  EXPECT_THAT(refusal(), HasSubstr("is in use: second, process"));
  first.reset();
  EXPECT_THAT(refusal(), HasSubstr("is in use: second, process")) << "the file stays";
  EXPECT_EQ(refusal(0, kShared), "");
  EXPECT_THAT(refusal(), HasSubstr("is in use: kiln run second.yaml")) << "named by the last that came";
  second.reset();
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out" / ".lock"));
  first.emplace(folder_ / "out", ".lock", "alone");
  EXPECT_THAT(refusal(0, kShared), HasSubstr("is in use: alone"));
}

TEST_F(FolderLockTest, WhoWaitsGetsItWhenItIsFree) {
  std::optional<FolderLock> lock;
  lock.emplace(folder_ / "out", ".lock", "first");
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    lock.reset();
  });
  EXPECT_EQ(refusal(60), "");
  later.join();
}

TEST_F(FolderLockTest, AProcessThatIsKilledHoldsNothing) {
  Pipe ready = make_pipe();
  const pid_t child = ::fork();
  if (child == 0) {
    const FolderLock lock(folder_ / "out", ".lock", "killed");
    if (::write(ready.write_end.get(), "x", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready.read_end.get(), &byte, 1), 1);
  EXPECT_THAT(refusal(), HasSubstr("in use: killed"));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(refusal(), "");
}

TEST_F(FolderLockTest, AFolderThatCannotBeMadeIsNamed) {
  files_->write_file(folder_ / "out", "a file", false);
  EXPECT_THAT(refusal(), HasSubstr("out' cannot be written: "));
}

}  // namespace
}  // namespace kiln
