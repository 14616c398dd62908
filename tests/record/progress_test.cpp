#include "record/progress.h"

#include <gmock/gmock.h>

#include "support/error_matchers.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(ProgressFile, IsReadAsItWasWritten) {
  test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  files.make_directories("out", false);
  ProgressFile file(files, "out", std::string(ProgressFile::kOfJob) + "-shard-2-of-8");
  EXPECT_EQ(file.path(), "out/.progress-shard-2-of-8.json");
  EXPECT_EQ(file.read(), std::nullopt);
  Progress progress;
  progress.command = "kiln tune job.yaml";
  progress.unit = "points";
  progress.begin_ns = 5;
  progress.done = 3;
  progress.seconds_left = 1.5;
  progress.best = "block=64 (1 ms)";
  progress.messages = {"one", "two"};
  progress.jobs = {{"a", "run", "/results/a", "done", 12, 3.5}};
  file.write(progress);
  auto found = file.read();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->command, "kiln tune job.yaml");
  EXPECT_EQ(found->unit, "points");
  EXPECT_EQ(found->begin_ns, 5);
  EXPECT_EQ(found->done, 3U);
  EXPECT_EQ(found->total, std::nullopt);
  EXPECT_EQ(found->seconds_left, 1.5);
  EXPECT_EQ(found->best, "block=64 (1 ms)");
  EXPECT_EQ(found->exit_code, std::nullopt);
  EXPECT_THAT(found->messages, ElementsAre("one", "two"));
  ASSERT_EQ(found->jobs.size(), 1U);
  EXPECT_EQ(found->jobs[0].output, "/results/a");
  EXPECT_EQ(found->jobs[0].total, 12U);
  progress.total = 8;
  progress.exit_code = 1;
  file.write(progress);
  found = file.read();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->total, 8U);
  EXPECT_EQ(found->exit_code, 1);
  EXPECT_THAT(files.list("out"), ElementsAre(".progress-shard-2-of-8.json"));
}

TEST(ProgressFile, AnotherContentIsRefusedWithItsPlace) {
  test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  files.make_directories("out", false);
  files.write_file("out/.progress.json", R"({"done": 3})", false);
  const ProgressFile file(files, "out", ProgressFile::kOfJob);
  EXPECT_THAT(test::bad_input_of([&] { static_cast<void>(file.read()); }),
              AllOf(HasSubstr("out/.progress.json"), HasSubstr("command")));
}

}  // namespace
}  // namespace kiln
