#include "report/progress_text.h"

#include <gmock/gmock.h>

namespace kiln {
namespace {

using testing::AllOf;
using testing::DoubleEq;
using testing::HasSubstr;
using testing::Not;
using testing::Optional;

constexpr std::int64_t kSecond = 1'000'000'000;

Progress progress_of(std::uint64_t done, std::uint64_t failed, std::optional<std::uint64_t> total) {
  Progress progress;
  progress.command = "kiln run job.yaml";
  progress.unit = "variants";
  progress.begin_ns = 100 * kSecond;
  progress.updated_ns = 110 * kSecond;
  progress.done = done;
  progress.failed = failed;
  progress.total = total;
  return progress;
}

Watched single(Progress progress) {
  Watched watched{.command = progress.command, .begin_ns = progress.begin_ns};
  watched.runs.push_back({"", "running", std::move(progress)});
  return watched;
}

TEST(ProgressText, RateAndTimeLeftAreThoseOfWhatWasMeasuredNow) {
  Progress progress = progress_of(12, 1, 32);
  progress.known = 2;
  const Watched watched = single(progress);
  const WatchedCounts counts = counts_of(watched, 120 * kSecond);
  EXPECT_EQ(counts.done, 12U);
  EXPECT_EQ(counts.failed, 1U);
  EXPECT_THAT(counts.rate, Optional(DoubleEq(0.5)));
  EXPECT_THAT(counts.seconds_left, Optional(DoubleEq(40)));
  EXPECT_EQ(watched_state(watched), "12 of 32 variants, 1 failed");
  EXPECT_EQ(watched_pace(watched, 120 * kSecond), "30 per minute, 40.0 s left");
}

TEST(ProgressText, NothingIsKnownBeforeTheFirstVariant) {
  const Watched watched = single(progress_of(0, 0, 32));
  EXPECT_EQ(watched_state(watched), "0 of 32 variants");
  EXPECT_EQ(watched_pace(watched, 120 * kSecond), "");
}

TEST(ProgressText, ASearchEndsWithItsBudget) {
  Progress progress = progress_of(5, 0, std::nullopt);
  progress.unit = "points";
  progress.seconds_left = 30;
  progress.best = "1.2 ms (block=64)";
  const Watched watched = single(progress);
  EXPECT_EQ(watched_state(watched), "5 points; best 1.2 ms (block=64)");
  EXPECT_THAT(counts_of(watched, 120 * kSecond).seconds_left, Optional(DoubleEq(20)));
  EXPECT_THAT(counts_of(watched, 200 * kSecond).seconds_left, Optional(DoubleEq(0)));
}

TEST(ProgressText, ABatchIsTheSumOfItsJobs) {
  Watched watched{.command = "kiln run batch.yaml", .begin_ns = 100 * kSecond};
  watched.runs = {{"a", "done", progress_of(4, 0, 4), 4, 9},
                  {"b", "running", progress_of(2, 1, 6), 6},
                  {"c", "waiting", {}, 10},
                  {"d", "waiting", {}, 10}};
  watched.messages = {"[2/4 b] [2/6] block=\033[31m: failed"};
  EXPECT_EQ(watched_state(watched), "6 of 30 variants, 1 failed; 1 done, 1 running, 2 waiting");
  EXPECT_EQ(watched_pace(watched, 112 * kSecond), "30 per minute, 48.0 s left");
  const std::string all = watched_text(watched, 112 * kSecond, {0, false, false});
  EXPECT_THAT(all, AllOf(HasSubstr("kiln run batch.yaml\n6 of 30"), HasSubstr("took 9.00 s"),
                         HasSubstr("waiting"), HasSubstr("block=\\x1b[31m: failed\n")));
  const std::string few = watched_text(watched, 112 * kSecond, {0, false, false}, 2);
  EXPECT_THAT(few, AllOf(HasSubstr("\n b "), Not(HasSubstr("took 9.00 s"))));
}

TEST(ProgressText, AnEndedRunHasNoTimeLeft) {
  Watched watched = single(progress_of(3, 0, 4));
  watched.runs.front().state = "interrupted";
  watched.exit_code = 130;
  EXPECT_EQ(watched_pace(watched, 9'000 * kSecond), "18 per minute");
}

TEST(ProgressText, ExitCodesHaveWords) {
  EXPECT_EQ(state_of_exit(0), "done");
  EXPECT_EQ(state_of_exit(1), "failed");
  EXPECT_EQ(state_of_exit(2), "refused");
  EXPECT_EQ(state_of_exit(143), "interrupted");
  EXPECT_EQ(state_of_exit(70), "ended early");
}

}  // namespace
}  // namespace kiln
