#include "tune/score.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tune/made_space.h"

namespace kiln {
namespace {

using test::made_space;

/// Values 1 to 4 and a failure, 2 s each.
RecordedSpace five_points() {
  RecordedSpace recorded{"five", {{"a", {}}}, SearchSpace({{"a", 5}}, {}), {}};
  for (const double value : {4.0, 2.0, 1.0, 3.0}) recorded.points.push_back({Outcome::measured(value), 2});
  recorded.points.push_back({Outcome::failed(FailureKind::kFault), 2});
  return recorded;
}

TEST(Baseline, ExpectsTheBestOfDrawsAsAllSubsetsHaveIt) {
  const Baseline baseline(five_points());
  EXPECT_DOUBLE_EQ(baseline.expected_best(1).value, (1 + 2 + 3 + 4) / 4.0);  // the failure has no value
  // Pairs of five points: 4 have the 1, 3 the 2 and no 1, 2 the 3, 1 the 4 with the failure.
  EXPECT_DOUBLE_EQ(baseline.expected_best(2).value, (4 * 1 + 3 * 2 + 2 * 3 + 1 * 4) / 10.0);
  EXPECT_DOUBLE_EQ(baseline.expected_best(2).fraction, (4 + 3 / 2.0 + 2 / 3.0 + 1 / 4.0) / 10.0);
  EXPECT_DOUBLE_EQ(baseline.expected_best(5).value, 1);
  EXPECT_DOUBLE_EQ(baseline.expected_best(99).value, 1);
}

TEST(Baseline, FollowsTheMethodology) {
  const Baseline baseline(five_points());
  // Index round(M * 5 / (M + 1)) of 4, 3, 2, 1: after rounding half to even 2, 3, 3 (the last).
  EXPECT_EQ(baseline.community_value(1), 2);
  EXPECT_EQ(baseline.community_value(2), 1);
  EXPECT_EQ(baseline.community_value(9), 1);
  // The median is 2.5; half of the way to 1 is 1.75, which only the last of 4 values is below: ceil(3 / (5 -
  // 3)).
  EXPECT_EQ(baseline.cut_off(0.5), 2U);
  EXPECT_DOUBLE_EQ(baseline.median_seconds(), 2);
  EXPECT_DOUBLE_EQ(baseline.seconds_per_value(), 2 + 2 / 5.0);
}

TEST(Score, IsOneForTheOptimumAtOnce) {
  const RecordedSpace space = made_space();
  const Baseline baseline(space);
  SearchTrace trace;
  for (int i = 0; i < 100; ++i) {
    trace.best.push_back(1);
    trace.seconds.push_back(2.0 * (i + 1));
  }
  const Score score = score_of(baseline, {trace, trace});
  EXPECT_DOUBLE_EQ(score.evaluations, 1);
  EXPECT_DOUBLE_EQ(score.time, 1);
  EXPECT_DOUBLE_EQ(score.exact, 1);
  EXPECT_DOUBLE_EQ(found_fraction(baseline, {trace}, 500), 1);
}

TEST(Score, IsNoneForUniformSamplesByTheExactBaseline) {
  const RecordedSpace space = made_space();
  const Baseline baseline(space);
  std::vector<SearchTrace> traces;
  for (std::uint64_t seed = 0; seed < 400; ++seed) traces.push_back(replay(space, "random", seed, {100, 1}));
  EXPECT_NEAR(score_of(baseline, traces).exact, 0, 0.05);
  for (const std::uint64_t n : {5U, 20U, 60U})
    EXPECT_NEAR(found_fraction(baseline, traces, n), baseline.expected_best(n).fraction, 0.02);
}

TEST(Score, CountsATraceWithoutAValueAsNothingFound) {
  const Baseline baseline(five_points());
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_DOUBLE_EQ(found_fraction(baseline, {{{infinite, 2}, {1, 2}}, {{1, 1}, {1, 2}}}, 1), 0.5);
}

}  // namespace
}  // namespace kiln
