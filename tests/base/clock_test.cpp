#include "base/clock.h"

#include <gtest/gtest.h>

namespace kiln {
namespace {

TEST(Iso8601, KnownTimes) {
  EXPECT_EQ(to_iso8601(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(to_iso8601(1'795'253'700'123'999'999), "2026-11-21T09:35:00.123Z");
  EXPECT_EQ(to_iso8601(951'782'399'999'000'000), "2000-02-28T23:59:59.999Z");
  EXPECT_EQ(to_iso8601(951'782'400'000'000'000), "2000-02-29T00:00:00.000Z");
}

TEST(Iso8601, BeforeTheEpoch) {
  EXPECT_EQ(to_iso8601(-1'000'000), "1969-12-31T23:59:59.999Z");
}

TEST(SystemClock, NeverRunsBackwards) {
  const auto clock = make_system_clock();
  const std::int64_t first = clock->steady_ns();
  const std::int64_t second = clock->steady_ns();
  EXPECT_LE(first, second);
  EXPECT_GT(clock->system_ns(), 1'700'000'000'000'000'000);
}

TEST(SecondsBetween, IsInSeconds) {
  EXPECT_DOUBLE_EQ(seconds_between(1'000, 1'500'001'000), 1.5);
}

}  // namespace
}  // namespace kiln
