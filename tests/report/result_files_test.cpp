#include "report/result_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_matchers.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ResultFilesTest : public ::testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    files_.make_directories(Path(path).parent_path(), false);
    files_.write_file(path, text, false);
  }

  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
};

TEST_F(ResultFilesTest, FoldersAreSearchedAndFilesTakenByWhatTheyHold) {
  write("/r/b/records.jsonl", "{}");
  write("/r/a/deep/records.jsonl", "{}");
  write("/r/a/study.jsonl", "{\"kind\":\"study\"}\n");
  write("/r/a/study-0123.jsonl", "an earlier study: only where it is named");
  write("/r/a/other.txt", "");
  write("/old.jsonl", "{\"kind\":\"study\",\"format\":2}\n");
  write("/single.jsonl", "{\"format\":1}\n");
  const ResultFiles found = find_result_files(files_, {"/single.jsonl", "/r", "/old.jsonl"});
  EXPECT_THAT(found.records, ElementsAre("/single.jsonl", "/r/a/deep/records.jsonl", "/r/b/records.jsonl"));
  EXPECT_THAT(found.studies, ElementsAre("/r/a/study.jsonl", "/old.jsonl"));
}

TEST_F(ResultFilesTest, LinkedFoldersAndFilesAreSearchedLikeOthers) {
  write("/runs/one/records.jsonl", "{}");
  write("/runs/two/study.jsonl", "{\"kind\":\"study\"}\n");
  write("/single.jsonl", "{}");
  files_.make_directories("/links/d", false);
  files_.add_symlink("/links/a", "/runs/one");
  files_.add_symlink("/links/b", "/runs/two");
  files_.add_symlink("/links/c", "/runs");  // both again
  files_.add_symlink("/links/d/up", "/links");
  files_.add_symlink("/links/d/records.jsonl", "/single.jsonl");
  files_.add_symlink("/whole", "/links");
  for (const char* folder : {"/links", "/whole"}) {
    const std::string below = folder;
    const ResultFiles found = find_result_files(files_, {folder});
    EXPECT_THAT(found.records, ElementsAre(below + "/a/records.jsonl", below + "/d/records.jsonl"));
    EXPECT_THAT(found.studies, ElementsAre(below + "/b/study.jsonl"));
  }
}

TEST_F(ResultFilesTest, ALinkToNothingIsNamed) {
  files_.make_directories("/r", false);
  files_.add_symlink("/r/records.jsonl", "/gone");
  EXPECT_EQ(test::bad_input_of([&] { static_cast<void>(find_result_files(files_, {"/r"})); }),
            "/r/records.jsonl: is a symbolic link to a file that does not exist");
}

TEST_F(ResultFilesTest, WhatIsNotThereIsNamed) {
  write("/empty/readme.txt", "");
  const auto refused = [&](const char* path) {
    return test::bad_input_of([&] { static_cast<void>(find_result_files(files_, {path})); });
  };
  EXPECT_THAT(refused("/empty"), HasSubstr("'/empty': expected a file records.jsonl or study.jsonl"));
  EXPECT_THAT(refused("/nothing"), HasSubstr("/nothing"));
  EXPECT_THAT(find_result_files(files_, {}).records, IsEmpty());
}

}  // namespace
}  // namespace kiln
