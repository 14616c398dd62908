#include "batch/schedule.h"

#include <gmock/gmock.h>

namespace kiln {
namespace {

using testing::HasSubstr;

BatchSpec batch_of(const std::string& text) {
  return parse_batch(text, "batch.yaml");
}

TEST(Schedule, OneAfterTheOtherInTheOrderOfTheFile) {
  const BatchSpec batch = batch_of("jobs: [a.yaml, b.yaml]\n");
  Schedule schedule(batch, false);
  EXPECT_EQ(schedule.next(), 0U);
  schedule.start(0);
  EXPECT_FALSE(schedule.next());
  schedule.end(0, true);
  EXPECT_EQ(schedule.next(), 1U);
  schedule.start(1);
  schedule.end(1, true);
  EXPECT_FALSE(schedule.next());
}

TEST(Schedule, AJobWaitsForThoseItComesAfter) {
  const BatchSpec batch = batch_of("jobs:\n- {run: a.yaml, after: c}\n- b.yaml\n- c.yaml\n");
  Schedule schedule(batch, false);
  EXPECT_EQ(schedule.next(), 1U);
  schedule.start(1);
  schedule.end(1, true);
  EXPECT_EQ(schedule.next(), 2U);
  schedule.start(2);
  schedule.end(2, true);
  EXPECT_EQ(schedule.next(), 0U);
}

TEST(Schedule, AFailureEndsTheBatchOrOnlyWhatComesAfter) {
  const BatchSpec batch =
      batch_of("jobs:\n- a.yaml\n- {run: b.yaml, after: a}\n- {run: c.yaml, after: b}\n- d.yaml\n");
  Schedule strict(batch, false);
  strict.start(0);
  strict.end(0, false);
  EXPECT_FALSE(strict.next());
  EXPECT_THAT(strict.skipped(3), HasSubstr("'a' did not succeed; --keep-going"));
  Schedule lenient(batch, true);
  lenient.start(0);
  lenient.end(0, false);
  EXPECT_THAT(lenient.skipped(1), HasSubstr("after 'a', which did not succeed"));
  EXPECT_THAT(lenient.skipped(2), HasSubstr("after 'b', which was not run"));
  EXPECT_EQ(lenient.next(), 3U);
}

TEST(Schedule, JobsAtOnceHaveDevicesOfTheirOwn) {
  const BatchSpec batch = batch_of(R"(
at_once: 3
jobs:
  - {run: a.yaml, device: cuda:0}
  - {run: b.yaml, device: [cuda:1, cuda]}
  - {run: c.yaml, device: cuda:2}
  - d.yaml
  - {run: e.yaml, device: cpu}
)");
  Schedule schedule(batch, true);
  EXPECT_EQ(schedule.next(), 0U);
  schedule.start(0);
  EXPECT_EQ(schedule.next(), 2U) << "b wants cuda, which is cuda:0";
  schedule.start(2);
  EXPECT_EQ(schedule.next(), 4U) << "d names no device, and runs alone";
  schedule.start(4);
  EXPECT_FALSE(schedule.next()) << "three run";
  schedule.end(0, true);
  EXPECT_EQ(schedule.next(), 1U);
  schedule.start(1);
  schedule.end(1, true);
  schedule.end(2, true);
  EXPECT_FALSE(schedule.next());
  schedule.end(4, true);
  EXPECT_EQ(schedule.next(), 3U);
}

TEST(Schedule, NothingStartsOnceItIsStopped) {
  const BatchSpec batch = batch_of("jobs: [a.yaml, b.yaml]\n");
  Schedule schedule(batch, true);
  schedule.start(0);
  schedule.stop("the batch was interrupted");
  schedule.end(0, true);
  EXPECT_FALSE(schedule.next());
  EXPECT_EQ(schedule.skipped(1), "the batch was interrupted");
  EXPECT_EQ(schedule.skipped(0), "");
}

}  // namespace
}  // namespace kiln
