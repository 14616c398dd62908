#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/file.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln {
namespace {

namespace fs = std::filesystem;

/// What both the real disk and the tests' in-memory one must do alike.
class FileSystemContract : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (std::string(GetParam()) == "real") {
      files_ = make_real_file_system();
    } else {
      files_ = std::make_unique<test::MemoryFileSystem>(clock_);
      files_->make_directories(fs::temp_directory_path(), false);
    }
    root_ = files_->make_unique_directory(fs::temp_directory_path() / "kiln-file-test-");
  }
  void TearDown() override { files_->remove_all(root_); }

  [[nodiscard]] fs::path at(const std::string& name) const { return root_ / name; }

  test::FakeClock clock_;
  std::unique_ptr<FileSystem> files_;
  fs::path root_;
};

INSTANTIATE_TEST_SUITE_P(Disks, FileSystemContract, testing::Values("real", "memory"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST_P(FileSystemContract, WritesAndReadsBytes) {
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

TEST_P(FileSystemContract, OneOfManyCreatesAFile) {
  std::atomic<int> created = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] { created += files_->create_file(at("x"), std::to_string(i)) ? 1 : 0; });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(created, 1);
  EXPECT_EQ(files_->read_file(at("x")).value().size(), 1U);
  EXPECT_FALSE(files_->create_file(root_, ""));
  EXPECT_THROW((void)files_->create_file(at("no/x"), ""), fs::filesystem_error);
}

TEST_P(FileSystemContract, LargeFile) {
  const std::string bytes(std::size_t{5} << 20, 'k');
  files_->write_file(at("x"), bytes, true);
  EXPECT_EQ(files_->read_file(at("x")), bytes);
}

TEST_P(FileSystemContract, ReadsAPart) {
  files_->write_file(at("x"), "0123456789", false);
  EXPECT_EQ(files_->read(at("x"), {3, 4}), "3456");
  EXPECT_EQ(files_->read(at("x"), {8, 4}), "89");
  EXPECT_EQ(files_->read(at("x"), {11, 4}), "");
  EXPECT_EQ(files_->read(at("y"), {0, 4}), std::nullopt);
}

TEST_P(FileSystemContract, OfALinkTheTargetIsAskedForApart) {
  const auto link = [&](const std::string& target, const std::string& name) {
    if (auto* memory = dynamic_cast<test::MemoryFileSystem*>(files_.get())) {
      memory->add_symlink(at(name), target);
    } else {
      fs::create_symlink(target, at(name));
    }
  };
  files_->write_file(at("x"), "12345", false);
  files_->make_directories(at("folder"), false);
  link("x", "to_file");
  link("folder", "to_folder");
  link("absent", "to_nothing");
  EXPECT_EQ(files_->status(at("to_file"))->type, FileStatus::Type::kSymlink);
  EXPECT_EQ(files_->target_status(at("to_file"))->type, FileStatus::Type::kFile);
  EXPECT_EQ(files_->target_status(at("to_file"))->size, 5U);
  EXPECT_EQ(files_->target_status(at("to_file"))->inode, files_->status(at("x"))->inode);
  EXPECT_NE(files_->target_status(at("to_folder"))->inode, files_->status(at("x"))->inode);
  EXPECT_EQ(files_->target_status(at("to_folder"))->type, FileStatus::Type::kDirectory);
  EXPECT_EQ(files_->target_status(at("to_nothing")), std::nullopt);
  EXPECT_NE(files_->status(at("to_nothing")), std::nullopt);
}

TEST_P(FileSystemContract, AbsenceIsNotAnError) {
  EXPECT_EQ(files_->read_file(at("x")), std::nullopt);
  EXPECT_EQ(files_->read_file(at("x/y")), std::nullopt);
  EXPECT_FALSE(files_->status(at("x")).has_value());
  EXPECT_TRUE(files_->list(at("x")).empty());
  EXPECT_NO_THROW(files_->remove_all(at("x")));
}

TEST_P(FileSystemContract, FailuresCarryTheCode) {
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

TEST_P(FileSystemContract, ListIsSorted) {
  for (const char* name : {"b", "a", "c"}) files_->write_file(at(name), "", false);
  EXPECT_EQ(files_->list(root_), std::vector<std::string>({"a", "b", "c"}));
}

TEST_P(FileSystemContract, MakesParents) {
  files_->make_directories(at("p/q/r"), true);
  EXPECT_EQ(files_->status(at("p/q/r"))->mode, 0700);
  EXPECT_NO_THROW(files_->make_directories(at("p/q/r/"), true));
  files_->make_directories(at("t/u/"), false);
  EXPECT_EQ(files_->status(at("t/u"))->type, FileStatus::Type::kDirectory);
}

TEST_P(FileSystemContract, UniqueDirectoriesDiffer) {
  const fs::path first = files_->make_unique_directory(at("tmp-"));
  const fs::path second = files_->make_unique_directory(at("tmp-"));
  EXPECT_NE(first, second);
  EXPECT_EQ(first.parent_path(), root_);
  EXPECT_EQ(files_->status(second)->mode, 0700);
}

TEST_P(FileSystemContract, RenameOntoAFullDirectoryIsALostRace) {
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

TEST_P(FileSystemContract, OneWinnerOfManyRenames) {
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

TEST_P(FileSystemContract, SyncsADirectory) {
  EXPECT_NO_THROW(files_->sync_directory(root_));
  EXPECT_THROW(files_->sync_directory(at("absent")), fs::filesystem_error);
}

}  // namespace
}  // namespace kiln
