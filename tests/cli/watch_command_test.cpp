// `kiln watch` of runs, searches and batches that have ended, are at work or were killed.
#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "base/clock.h"
#include "base/exit_code.h"
#include "base/folder_lock.h"
#include "cli/cli_fixture.h"
#include "record/progress.h"
#include "support/small_workload.h"

namespace kiln {
namespace {

using test::CliResult;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class WatchCommand : public test::CliTest {
 protected:
  /// The state of a run that wrote it long ago.
  void keep(const std::string& folder, const std::string& name, Progress progress) {
    constexpr std::int64_t kMinute = 60'000'000'000;
    files_->make_directories(path(folder), false);
    progress.begin_ns = make_system_clock()->system_ns() - 2 * kMinute;
    progress.updated_ns = progress.begin_ns + kMinute;
    ProgressFile(*files_, path(folder), name).write(progress);
  }

  static Progress run_of(std::uint64_t done, std::uint64_t total) {
    Progress progress;
    progress.command = "kiln run job.yaml";
    progress.unit = "variants";
    progress.done = done;
    progress.total = total;
    progress.messages = {"[2/4] block=64: ok"};
    return progress;
  }
};

class WatchedRunCommand : public WatchCommand {
 protected:
  WatchedRunCommand() { test::write_small_workload(*files_, folder_); }
  void SetUp() override {
    if (std::system("command -v c++ > /dev/null") != 0) GTEST_SKIP() << "no C++ compiler on this machine";
  }
  std::string job(const std::string& name, const std::string& blocks) {
    return write(name, "workload: scale\ndevice: cpu\nsweep: {block: [" + blocks +
                           "]}\nmeasure: {min_time: 0 s, max_samples: 5}\n");
  }
};

TEST_F(WatchedRunCommand, ARunThatHasEndedIsShownWithItsExitCode) {
  ASSERT_EQ(kiln({"run", job("a.yaml", "32, 64"), "--output", path("out")}).code, kExitDone);
  const CliResult result = kiln({"watch", path("out")});
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("2 of 2 variants"), HasSubstr("best block="),
                                HasSubstr("[2/2] block=64: ok"), HasSubstr("\ndone\n")));
}

TEST_F(WatchedRunCommand, KnownVariantsOfAResumedRunCount) {
  const std::string file = job("a.yaml", "32, 64");
  ASSERT_EQ(kiln({"run", file, "--output", path("out")}).code, kExitDone);
  ASSERT_EQ(kiln({"run", file, "--output", path("out"), "--resume"}).code, kExitDone);
  const auto progress = ProgressFile(*files_, path("out"), ProgressFile::kOfJob).read();
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->done, 2U);
  EXPECT_EQ(progress->known, 2U);
}

TEST_F(WatchedRunCommand, ABatchHasALineForEachJob) {
  job("a.yaml", "32, 64");
  job("b.yaml", "128");
  const std::string batch =
      write("batch.yaml", "output: " + path("out") + "\njobs:\n- {run: b.yaml, after: a}\n- a.yaml\n");
  ASSERT_EQ(kiln({"run", batch}).code, kExitDone);
  const CliResult result = kiln({"watch", batch});
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("3 of 3 variants; 2 done"), HasSubstr("[1/2 b] done"),
                                HasSubstr("[2/2 a] done"), HasSubstr("best"), Not(HasSubstr(" left\n"))));
}

TEST_F(WatchedRunCommand, ASearchShowsItsBest) {
  ASSERT_EQ(kiln({"tune", job("a.yaml", "32, 64"), "--output", path("found"), "--budget", "2", "--no-wisdom",
                  "--device", "cpu", "--space", "block=32,64"})
                .code,
            kExitDone);
  const CliResult result = kiln({"watch", path("found")});
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr(" points; best "), HasSubstr("\ndone\n")));
}

TEST_F(WatchCommand, ARunThatWasKilledHasEndedEarly) {
  keep("out", ".progress", run_of(2, 4));
  const CliResult result = kiln({"watch", path("out")});
  EXPECT_EQ(result.code, kExitFailed) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("2 of 4 variants"), HasSubstr("\nended early\n")));
}

TEST_F(WatchCommand, ARunThatHoldsItsFolderIsAtWork) {
  keep("out", ".progress", run_of(2, 4));
  const FolderLock lock(path("out"), ".lock", "kiln run job.yaml", FolderLock::Kind::kShared);
  const CliResult result = kiln({"watch", path("out"), "--once"});
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("2 of 4 variants; "), HasSubstr(" per hour, "),
                                HasSubstr(" s left\n"), Not(HasSubstr("ended early"))));
}

TEST_F(WatchCommand, EachChangeIsALineUntilTheEnd) {
  keep("out", ".progress", run_of(2, 4));
  const FolderLock lock(path("out"), ".lock", "kiln run job.yaml", FolderLock::Kind::kShared);
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    Progress progress = run_of(4, 4);
    progress.failed = 1;
    progress.exit_code = kExitFailed;
    keep("out", ".progress", progress);
  });
  const CliResult result = kiln({"watch", path("out")});
  writer.join();
  EXPECT_EQ(result.code, kExitFailed) << result.err;
  EXPECT_THAT(result.out, AllOf(testing::StartsWith("2 of 4 variants; "),
                                HasSubstr("4 of 4 variants, 1 failed"), HasSubstr("\nfailed\n")));
}

TEST_F(WatchCommand, ShardsAreSummedUp) {
  Progress first = run_of(4, 4);
  first.exit_code = kExitDone;
  keep("out", ".progress-shard-1-of-2", first);
  keep("out", ".progress-shard-2-of-2", run_of(1, 4));
  const FolderLock lock(path("out"), ".lock-shard-2-of-2", "kiln run job.yaml");
  const CliResult result = kiln({"watch", path("out"), "--once"});
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("5 of 8 variants; 1 done, 1 running"), HasSubstr("shard 1 of 2"),
                                HasSubstr("shard 2 of 2")));
}

TEST_F(WatchCommand, APlaceWithoutProgressIsRefused) {
  files_->make_directories(path("empty"), false);
  CliResult result = kiln({"watch", path("empty")});
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, HasSubstr("has no progress of a run, study, search or batch"));
  result = kiln({"watch", path("nothing")});
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, HasSubstr("does not exist"));
  result = kiln({"watch", write("plain.yaml", "workload: scale\n")});
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, HasSubstr("has no `output:`"));
}

}  // namespace
}  // namespace kiln
