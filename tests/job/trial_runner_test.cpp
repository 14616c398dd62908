// Variants that are run one by one, as a search does.
#include <gmock/gmock.h>

#include "job/job_fixture.h"
#include "job/trial_runner.h"

namespace kiln {
namespace {

using testing::HasSubstr;

class TrialRunnerTest : public test::TrialTest {
 protected:
  TrialRunnerTest() : context_(context()), runner_(make_local_runner(context_, "/job.yaml", true)) {
    edit_workload("{iota: [1, 1]}", "{uniform: [1, 2]}");
  }

  Record run(const TrialRequest& request, const test::SmallDisk::Settings& settings = {}) {
    auto record = runner_->run(variant(settings), request);
    EXPECT_TRUE(record.has_value());
    return record.value_or(Record());
  }

  /// The step's kernel notes its first input.
  void note_inputs() {
    for (const char* name : {"_Zscale", "_Zscale_reference"}) {
      test::FakeKernel kernel;
      kernel.seconds = 1e-3;
      auto& first = name == std::string("_Zscale") ? inputs_ : reference_inputs_;
      kernel.body = [&first](const LaunchShape& /*shape*/, void* const* arguments) {
        double* y = *static_cast<double* const*>(arguments[0]);
        const double* x = *static_cast<const double* const*>(arguments[1]);
        for (int i = 0; i < 1000; ++i) y[i] = 3 * x[i];
        if (first.empty() || first.back() != x[0]) first.push_back(x[0]);
      };
      device_->define(name, std::move(kernel));
    }
  }

  JobContext context_;
  std::unique_ptr<TrialRunner> runner_;
  std::vector<double> inputs_, reference_inputs_;  // that differ from the one before
};

TEST_F(TrialRunnerTest, AVariantThatIsTooSlowIsChecked_AndMeasuredThreeTimes) {
  const Record slow = run({.give_up_above = 0.5e-3});
  EXPECT_EQ(slow.status, RunStatus::kOk);
  EXPECT_EQ(slow.stop_reason, "given_up");
  ASSERT_TRUE(slow.step.has_value());
  EXPECT_EQ(slow.step->count, 3U);
  const Record fast = run({.give_up_above = 2e-3});
  EXPECT_NE(fast.stop_reason, "given_up");
  EXPECT_GT(fast.step->count, 3U);
}

TEST_F(TrialRunnerTest, TheInputSeedChangesInputsAndReferences_AndNoCode) {
  note_inputs();
  const TrialRequest plain{.measure = {.enabled = false}};
  TrialRequest other = plain;
  other.input_seed = 7;
  const Record first = run(plain);
  const Record second = run(other);
  const Record third = run(plain);
  EXPECT_EQ(first.seed, 42);
  EXPECT_EQ(second.seed, 49);
  for (const Record& record : {first, second, third}) EXPECT_EQ(record.status, RunStatus::kOk);
  ASSERT_EQ(inputs_.size(), 3U);
  EXPECT_NE(inputs_[0], inputs_[1]);
  EXPECT_EQ(inputs_[0], inputs_[2]);
  ASSERT_EQ(reference_inputs_.size(), 2U) << "the reference for the first seed is kept";
  EXPECT_EQ(reference_inputs_[1], inputs_[1]);
  EXPECT_EQ(first.units.at(0).key, second.units.at(0).key);
}

TEST_F(TrialRunnerTest, WhatAVariantKeepsIsOfItsOwnSeed) {
  Variant kept = variant();
  kept.keep = {{"y", "/y.npy"}};
  ASSERT_TRUE(runner_->run(kept, {.measure = {.enabled = false}, .input_seed = 7}));
  EXPECT_FALSE(disk_.files.status("/y.npy"));
  ASSERT_TRUE(runner_->run(kept, {.measure = {.enabled = false}}));
  EXPECT_TRUE(disk_.files.status("/y.npy"));
}

TEST_F(TrialRunnerTest, NothingRunsOnALostDevice) {
  test::FakeKernel kernel;
  kernel.body = [](const LaunchShape&, void* const*) { throw device_lost("the kernel faulted"); };
  device_->define("_Zscale", std::move(kernel));
  EXPECT_EQ(run({}).status, RunStatus::kFaulted);
  EXPECT_TRUE(runner_->has_lost(device_->info().id));
  const Record second = run({}, {{"block", "64"}});
  EXPECT_EQ(second.status, RunStatus::kNotRun);
  EXPECT_THAT(second.message, HasSubstr("since the fault of 'some label'"));
}

TEST_F(TrialRunnerTest, AVariantThatIsStoppedHasNoRecord) {
  context_.stop = [] { return true; };
  EXPECT_FALSE(runner_->run(variant(), {}).has_value());
}

}  // namespace
}  // namespace kiln
