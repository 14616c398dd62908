#include "measure/sampler.h"

#include <gtest/gtest.h>

#include <random>

#include "support/fake_clock.h"

namespace kiln {
namespace {

class SamplerTest : public testing::Test {
 protected:
  /// Samples of 10 ms that vary by `spread` (relative), with as much time between them.
  Samples run(double spread) {
    return sample(
        [this, spread] {
          clock_.advance(0.02);
          const double sign = ++taken_ % 2 == 0 ? 1 : -1;
          return 0.01 * (1 + sign * spread);
        },
        options_, clock_);
  }

  test::FakeClock clock_;
  SamplerOptions options_;
  int taken_ = 0;
};

TEST_F(SamplerTest, StopsWhenStableAfterTheLeastTime) {
  options_.min_time = 0.5;
  const Samples samples = run(0.001);
  EXPECT_EQ(samples.reason, StopReason::kStable);
  EXPECT_EQ(samples.seconds.size(), 25);
  EXPECT_EQ(samples.summary.count, 25);
  EXPECT_LE(samples.summary.relative_half_width(), 0.01);
}

TEST_F(SamplerTest, TakesTheLeastNumberOfSamples) {
  options_.min_time = 0;
  options_.min_samples = 7;
  const Samples samples = run(0);
  EXPECT_EQ(samples.reason, StopReason::kStable);
  EXPECT_EQ(samples.seconds.size(), 7);
}

TEST_F(SamplerTest, StopsWhenSamplesAreOut) {
  options_.min_time = 0;
  options_.max_samples = 40;
  const Samples samples = run(0.3);
  EXPECT_EQ(samples.reason, StopReason::kMaxSamples);
  EXPECT_EQ(samples.seconds.size(), 40);
}

TEST_F(SamplerTest, StopsWhenTimeIsOut) {
  options_.max_time = 1;
  const Samples samples = run(0.3);
  EXPECT_EQ(samples.reason, StopReason::kMaxTime);
  EXPECT_EQ(samples.seconds.size(), 50);
}

TEST_F(SamplerTest, StableAtTheLastSampleIsStable) {
  options_.min_time = 0;
  options_.min_samples = 10;
  options_.max_samples = 10;
  EXPECT_EQ(run(0).reason, StopReason::kStable);
}

TEST_F(SamplerTest, TakesOneSampleWhateverTheLimits) {
  options_ = SamplerOptions{0, 0, 0, 0};
  EXPECT_EQ(run(0.1).seconds.size(), 1);
}

TEST_F(SamplerTest, MoreSamplesSteadyANoisyMedian) {
  options_.min_time = 0;
  options_.target_relative_interval = 0.02;
  std::mt19937_64 random(20261121);
  std::uniform_real_distribution<double> noisy(1.0, 1.3);
  const Samples samples = sample([&] { return noisy(random); }, options_, clock_);
  EXPECT_EQ(samples.reason, StopReason::kStable);
  EXPECT_GT(samples.seconds.size(), 20);
  EXPECT_LT(samples.seconds.size(), 400);
}

TEST_F(SamplerTest, GivesUpWhenThreeSamplesAreAboveTheBound) {
  options_.give_up_above = 0.009;
  const Samples samples = run(0);
  EXPECT_EQ(samples.reason, StopReason::kGivenUp);
  EXPECT_EQ(samples.seconds.size(), 3);
  EXPECT_EQ(samples.summary.count, 3);
}

TEST_F(SamplerTest, AFastSampleAmongSlowOnesDelaysGivingUpUntilTheMedianIsSure) {
  options_.min_time = 0;
  options_.target_relative_interval = 1e-9;
  options_.give_up_above = 0.01;
  int taken = 0;
  const auto take = [&] { return taken++ == 0 ? 0.005 : 0.02 + 1e-6 * taken; };
  const Samples samples = sample(take, options_, clock_);
  EXPECT_EQ(samples.reason, StopReason::kGivenUp);
  EXPECT_GE(samples.seconds.size(), 9) << "fewer do not bound a median";
  EXPECT_LT(samples.seconds.size(), 20);
}

TEST_F(SamplerTest, WhatTheSampleThrowsPasses) {
  EXPECT_THROW((void)sample([]() -> double { throw std::runtime_error("fault"); }, options_, clock_),
               std::runtime_error);
}

TEST(StopReason, HasAWord) {
  EXPECT_STREQ(to_string(StopReason::kStable), "stable");
  EXPECT_STREQ(to_string(StopReason::kMaxSamples), "max_samples");
  EXPECT_STREQ(to_string(StopReason::kMaxTime), "max_time");
  EXPECT_STREQ(to_string(StopReason::kGivenUp), "given_up");
}

}  // namespace
}  // namespace kiln
