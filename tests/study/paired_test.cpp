#include "study/paired.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace kiln {
namespace {

TEST(Paired, TheIntervalOfARatioIsThatOfOrderStatistics) {
  // Of nine values the second and the eighth: P(Binomial(9, 1/2) <= 1) = 10/512 is at most 2.5 %.
  const std::vector<double> base = {2, 4, 6, 8, 10, 12, 14, 16, 18};
  const std::vector<double> subject(9, 2);
  const Interval ratio = paired_ratio(base, subject);
  EXPECT_DOUBLE_EQ(ratio.median, 5);
  EXPECT_DOUBLE_EQ(ratio.low, 2);
  EXPECT_DOUBLE_EQ(ratio.high, 8);
  const Interval difference = paired_difference(base, subject);
  EXPECT_DOUBLE_EQ(difference.median, 8);
  EXPECT_DOUBLE_EQ(difference.low, 2);
  EXPECT_DOUBLE_EQ(difference.high, 14);
}

TEST(Paired, ADriftOfTheMachineCancels) {
  const std::vector<double> drift = {1, 1.5, 2, 3, 5, 8, 13};
  std::vector<double> base;
  for (const double value : drift) base.push_back(2 * value);
  const Interval ratio = paired_ratio(base, drift);
  EXPECT_DOUBLE_EQ(ratio.low, 2);
  EXPECT_DOUBLE_EQ(ratio.high, 2);
}

TEST(Paired, AnIntervalThatTouchesOneIsNoEffect) {
  EXPECT_EQ(effect_of({1.1, 1.0, 1.2}), Effect::kNone);
  EXPECT_EQ(effect_of({0.9, 0.8, 1.0}), Effect::kNone);
  EXPECT_EQ(effect_of({1.1, 1.001, 1.2}), Effect::kFaster);
  EXPECT_EQ(effect_of({0.9, 0.8, 0.999}), Effect::kSlower);
}

TEST(BreakEvenOf, APriceIsEarnedBackByWhatEachLaunchSaves) {
  const BreakEven found = break_even({1.0, 0.9, 1.1}, {0.01, 0.005, 0.02});
  ASSERT_EQ(found.kind, BreakEven::Kind::kAfter);
  EXPECT_DOUBLE_EQ(*found.launches, 100);
  EXPECT_DOUBLE_EQ(*found.low, 45);    // 0.9 / 0.02
  EXPECT_DOUBLE_EQ(*found.high, 220);  // 1.1 / 0.005
}

TEST(BreakEvenOf, NeverWhereNothingIsSaved) {
  EXPECT_EQ(break_even({1, 1, 1}, {-0.5, -1, 0}).kind, BreakEven::Kind::kNever);
  EXPECT_EQ(break_even({1, 1, 1}, {-0.5, -1, -0.1}).kind, BreakEven::Kind::kNever);
}

TEST(BreakEvenOf, NotShownWhereTheSavingMayBeNothing) {
  const BreakEven found = break_even({1, 1, 1}, {0.25, 0, 0.5});
  EXPECT_EQ(found.kind, BreakEven::Kind::kNotShown);
  EXPECT_DOUBLE_EQ(*found.low, 2);
  EXPECT_FALSE(found.launches.has_value());
  EXPECT_FALSE(found.high.has_value());
}

TEST(BreakEvenOf, WhatCostsNothingIsEarnedBackAtOnce) {
  const BreakEven found = break_even({-0.1, -0.2, 0}, {0.25, 0.2, 0.5});
  ASSERT_EQ(found.kind, BreakEven::Kind::kAfter);
  EXPECT_DOUBLE_EQ(*found.launches, 0);
  EXPECT_DOUBLE_EQ(*found.high, 0);
}

TEST(VisitOrder, IsAPermutationOfItsOwnForEachRoundAndSeed) {
  const auto order = visit_order(1, 1, 20);
  auto sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) EXPECT_EQ(sorted[i], i);
  EXPECT_EQ(order, visit_order(1, 1, 20));
  EXPECT_NE(order, visit_order(1, 2, 20));
  EXPECT_NE(order, visit_order(2, 1, 20));
  EXPECT_TRUE(visit_order(1, 1, 0).empty());
}

TEST(VisitOrder, PutsEveryCaseEverywhereEquallyOften) {
  constexpr std::size_t kCases = 4;
  constexpr int kRounds = 4000;
  std::vector<int> counts(kCases * kCases);
  for (std::uint64_t round = 1; round <= kRounds; ++round) {
    const auto order = visit_order(7, round, kCases);
    for (std::size_t place = 0; place < kCases; ++place) ++counts[order[place] * kCases + place];
  }
  // 1000 each; five standard deviations are 137.
  for (const int count : counts) EXPECT_NEAR(count, kRounds / static_cast<int>(kCases), 137);
}

}  // namespace
}  // namespace kiln
