#include "base/statistics.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

#include "kiln/error.h"

namespace kiln {
namespace {

std::vector<double> one_to(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(Summarize, KnownValues) {
  const std::vector<double> values = {4, 2, 8, 6, 10};
  const Summary summary = summarize(values);
  EXPECT_EQ(summary.count, 5);
  EXPECT_EQ(summary.min, 2);
  EXPECT_EQ(summary.median, 6);
  EXPECT_EQ(summary.mean, 6);
  EXPECT_EQ(summary.max, 10);
  EXPECT_DOUBLE_EQ(summary.deviation, std::sqrt(10.0));
  EXPECT_EQ(summary.ci_low, 2);
  EXPECT_EQ(summary.ci_high, 10);
  EXPECT_DOUBLE_EQ(summary.relative_half_width(), 4.0 / 6);
}

TEST(Summarize, EvenCountTakesTheMiddle) {
  EXPECT_EQ(summarize(std::vector<double>{1, 2, 4, 8}).median, 3);
}

TEST(Summarize, OneSample) {
  const Summary summary = summarize(std::vector<double>{3});
  EXPECT_EQ(summary.median, 3);
  EXPECT_EQ(summary.deviation, 0);
  EXPECT_EQ(summary.ci_low, 3);
  EXPECT_EQ(summary.ci_high, 3);
  EXPECT_EQ(summary.relative_half_width(), 0);
}

TEST(Summarize, MedianOfZeroHasNoRelativeWidth) {
  EXPECT_EQ(summarize(std::vector<double>{-1, 0, 1}).relative_half_width(), 0);
}

TEST(Summarize, NoSamplesIsABug) {
  EXPECT_THROW((void)summarize({}), Error);
}

// Ranks of the 95 % interval of the median, as tables of order statistics give them.
TEST(Summarize, IntervalHasTheRanksOfTheTables) {
  struct Row {
    std::size_t n, low, high;
  };
  for (const Row& row : {Row{6, 1, 6}, Row{8, 1, 8}, Row{9, 2, 8}, Row{10, 2, 9}, Row{15, 4, 12},
                         Row{20, 6, 15}, Row{30, 10, 21}, Row{50, 18, 33}, Row{100, 40, 61}}) {
    const Summary summary = summarize(one_to(row.n));
    EXPECT_EQ(summary.ci_low, static_cast<double>(row.low)) << row.n;
    EXPECT_EQ(summary.ci_high, static_cast<double>(row.high)) << row.n;
  }
}

TEST(Summarize, ManySamplesDoNotUnderflow) {
  constexpr std::size_t kSamples = 100'000;
  const Summary summary = summarize(one_to(kSamples));
  const double half = 1.96 * std::sqrt(static_cast<double>(kSamples)) / 2;  // the normal limit
  EXPECT_NEAR(summary.ci_low, 50'000.5 - half, 1.5);
  EXPECT_NEAR(summary.ci_high, 50'000.5 + half, 1.5);
}

TEST(Summarize, IntervalCoversTheMedianAsOftenAsItSays) {
  std::mt19937_64 random(20261121);
  std::exponential_distribution<double> skewed(1);
  constexpr int kTrials = 4000;
  int covered = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> values(25);
    for (double& value : values) value = skewed(random);
    const Summary summary = summarize(values);
    if (summary.ci_low <= std::log(2.0) && std::log(2.0) <= summary.ci_high) ++covered;
  }
  EXPECT_GE(covered, kTrials * 0.945);
  EXPECT_LE(covered, kTrials * 0.975);
}

TEST(CompensatedSum, LosesNoDigits) {
  CompensatedSum sum;
  for (const double value : {1.0, 1e100, 1.0, -1e100}) sum.add(value);
  EXPECT_EQ(sum.value(), 2);
}

}  // namespace
}  // namespace kiln
