#include "measure/timer.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "support/fake_device.h"

namespace kiln {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

/// Launches that take known times.
class FakeStep : public TimedStep {
 public:
  FakeStep(test::FakeClock& clock, std::vector<double> of_launches)
      : seconds(std::move(of_launches)), clock_(clock) {}

  std::size_t launch_count() const override { return seconds.size(); }
  std::size_t most_steps() const override { return most; }
  void make_ready(std::size_t steps) override { asked.push_back(steps); }
  void enqueue(const AfterLaunch& after_launch) override {
    ++enqueued;
    for (const std::size_t launch : order.empty() ? std::vector<std::size_t>{0, 1, 2} : order) {
      if (launch >= seconds.size()) continue;
      clock_.advance(seconds[launch]);
      if (after_launch) after_launch(launch);
    }
  }
  void wait() override { ++waits; }

  std::vector<double> seconds;     ///< of each launch
  std::vector<std::size_t> order;  ///< in which a step launches; empty: each once
  std::size_t most = 0;
  std::vector<std::size_t> asked;
  int enqueued = 0, waits = 0;

 private:
  test::FakeClock& clock_;
};

class TimerTest : public testing::Test {
 protected:
  Timer timer(FakeStep& step, bool cold = false) { return {step, device_, *stream_, clock_, cold}; }

  test::FakeClock clock_;
  test::FakeDevice device_{clock_};
  std::unique_ptr<Stream> stream_ = device_.create_stream();
};

TEST_F(TimerTest, ShortStepsOfSeveralLaunchesAreTimedInBatches) {
  FakeStep step(clock_, {1e-6, 2e-6, 2e-6});
  Timer timer = this->timer(step);
  timer.warm_up();
  EXPECT_EQ(step.enqueued, 2);
  EXPECT_EQ(timer.steps_per_sample(), 20U);
  EXPECT_NEAR(timer.take(), 5e-6, 1e-12);
  EXPECT_EQ(step.enqueued, 2 + 20);
  EXPECT_EQ(step.waits, 3) << "once a sample";
  EXPECT_THAT(step.asked, ElementsAre(1, 1, 20));
}

TEST_F(TimerTest, ALongStepIsASampleOfItsOwn) {
  FakeStep step(clock_, {1e-3});
  Timer timer = this->timer(step);
  timer.warm_up();
  EXPECT_EQ(timer.steps_per_sample(), 1U);
}

TEST_F(TimerTest, AStepOfASecondIsItsOwnWarmUp) {
  FakeStep step(clock_, {1.5});
  timer(step).warm_up();
  EXPECT_EQ(step.enqueued, 1);
}

TEST_F(TimerTest, ABatchEndsBeforeTheInputsDrift) {
  FakeStep step(clock_, {1e-6});
  step.most = 7;
  Timer timer = this->timer(step);
  timer.warm_up();
  EXPECT_EQ(timer.steps_per_sample(), 7U);
}

TEST_F(TimerTest, AColdSampleIsOneStepAfterAFlush) {
  FakeStep step(clock_, {1e-6});
  Timer timer = this->timer(step, true);
  timer.warm_up();
  EXPECT_EQ(timer.steps_per_sample(), 1U);
  const int before = device_.flushes();
  static_cast<void>(timer.take());
  EXPECT_EQ(device_.flushes(), before + 1);
}

TEST_F(TimerTest, AProfileTellsLaunchesApart) {
  FakeStep step(clock_, {1e-6, 20e-6, 300e-6});
  Timer timer = this->timer(step);
  const auto launches = timer.profile(4, 1, {});
  ASSERT_EQ(launches.size(), 3U);
  for (const std::vector<double>& seconds : launches) EXPECT_EQ(seconds.size(), 4U);
  EXPECT_NEAR(launches[0][3], 1e-6, 1e-12);
  EXPECT_NEAR(launches[1][3], 20e-6, 1e-12);
  EXPECT_NEAR(launches[2][3], 300e-6, 1e-12);
  EXPECT_EQ(step.enqueued, 4);
  EXPECT_EQ(step.waits, 4) << "one step at a time";
}

TEST_F(TimerTest, AProfileAddsUpALaunchThatAStepRepeats) {
  FakeStep step(clock_, {1e-6, 20e-6});
  step.order = {0, 1, 0, 1, 1};
  const auto launches = timer(step).profile(1, 1, {});
  EXPECT_THAT(launches[0], ElementsAre(DoubleNear(2e-6, 1e-12)));
  EXPECT_THAT(launches[1], ElementsAre(DoubleNear(60e-6, 1e-12)));
}

TEST_F(TimerTest, AProfileEndsWhenItsTimeIsOut) {
  FakeStep step(clock_, {0.4, 0.1});
  EXPECT_EQ(timer(step).profile(100, 1.2, {}).front().size(), 3U);
  EXPECT_EQ(timer(step).profile(100, 0, {}).front().size(), 1U) << "at least one";
}

TEST_F(TimerTest, AStepThatIsTooSlowIsGivenUpAfterThreeSamples) {
  for (const double seconds : {10e-6, 0.2}) {
    FakeStep step(clock_, {seconds});
    Timer timer = this->timer(step);
    timer.warm_up();
    const Samples samples = timer.measure({.give_up_above = seconds / 2}, {});
    EXPECT_EQ(samples.reason, StopReason::kGivenUp);
    EXPECT_EQ(samples.seconds.size(), 3U);
    const Samples hopeless = timer.measure({.give_up_above = seconds / 5}, {});
    EXPECT_EQ(hopeless.reason, StopReason::kGivenUp);
    EXPECT_EQ(hopeless.seconds.size(), 1U);
  }
}

TEST_F(TimerTest, AStepWithinTheBoundIsMeasuredToItsEnd) {
  FakeStep step(clock_, {10e-3});
  Timer timer = this->timer(step);
  timer.warm_up();
  const Samples samples = timer.measure({.min_time = 0, .min_samples = 8, .give_up_above = 11e-3}, {});
  EXPECT_EQ(samples.reason, StopReason::kStable);
  EXPECT_EQ(samples.seconds.size(), 8U);
}

TEST_F(TimerTest, WhoeverIsAskedBeforeEachSampleCanEndTheMeasurement) {
  FakeStep step(clock_, {10e-3});
  Timer timer = this->timer(step);
  timer.warm_up();
  int asked = 0;
  const auto stop = [&] {
    if (++asked == 3) throw std::runtime_error("stopped");
  };
  EXPECT_THROW(static_cast<void>(timer.measure({}, stop)), std::runtime_error);
  EXPECT_EQ(step.enqueued, 1 + 2);
  EXPECT_THROW(static_cast<void>(timer.profile(9, 1, [] { throw std::runtime_error("stopped"); })),
               std::runtime_error);
  EXPECT_EQ(step.enqueued, 1 + 2);
}

TEST_F(TimerTest, EnergyIsPowerTimesTheTimeOfAStep) {
  device_.draw(300);
  for (const double seconds : {20e-6, 1e-3, 0.07, 0.3}) {
    FakeStep step(clock_, {seconds});
    const std::int64_t begin = clock_.steady_ns();
    const auto joules = timer(step).energy(seconds, {});
    ASSERT_TRUE(joules) << seconds;
    EXPECT_NEAR(*joules, 300 * seconds, 300 * seconds * (seconds < 0.01 ? 0.03 : 0.35)) << seconds;
    EXPECT_GE(clock_.steady_ns() - begin, 500'000'000);
    EXPECT_EQ(step.waits, static_cast<int>(step.asked.size())) << "one batch at a time";
  }
}

TEST_F(TimerTest, NoEnergyWithoutACounterOrOfOneThatStands) {
  FakeStep step(clock_, {1e-3});
  EXPECT_FALSE(timer(step).energy(1e-3, {}));
  EXPECT_EQ(step.enqueued, 0);
  device_.draw(0);
  EXPECT_FALSE(timer(step).energy(1e-3, {}));
  EXPECT_GT(step.enqueued, 4000);
}

}  // namespace
}  // namespace kiln
