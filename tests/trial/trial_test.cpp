#include "trial/trial.h"

#include <gmock/gmock.h>

#include "support/error_matchers.h"
#include "trial/trial_fixture.h"

namespace kiln {
namespace {

using test::TrialTest;
using testing::HasSubstr;

class TrialStages : public TrialTest {
 protected:
  /// Code, buffers and inputs; expects that the code compiles.
  void make_ready(Trial& trial) {
    trial.specialise();
    const auto failure = trial.load();
    ASSERT_FALSE(failure) << failure->summary;
    trial.prepare();
  }
  void step(Trial& trial) {
    trial.make_ready(1);
    trial.enqueue({});
    trial.wait();
  }
  [[nodiscard]] std::size_t launches() const { return device_->launches().size(); }

  JobContext context_ = context();
  BufferPool pool_;
};

TEST_F(TrialStages, StagesGiveFactsAndWriteNoRecord) {
  const Variant variant = this->variant({{"block", "64"}});
  Trial trial(variant, context_, pool_, false);
  EXPECT_EQ(trial.specialise().size(), 2U);
  EXPECT_TRUE(trial.launches().empty());
  EXPECT_FALSE(trial.load());
  EXPECT_EQ(trial.loaded_units().size(), 2U);
  trial.prepare();
  ASSERT_EQ(trial.launches().size(), 1U);
  EXPECT_EQ(trial.launches()[0].kernel, "scale");
  EXPECT_EQ(trial.launches()[0].shape.block, (Dim3{64, 1, 1}));
  EXPECT_FALSE(trial.first_launch_ns());
  trial.verify();
  ASSERT_EQ(trial.checks().size(), 1U);
  EXPECT_TRUE(trial.checks()[0].ok);
  EXPECT_EQ(trial.checks()[0].compared, 1000U);
  EXPECT_TRUE(trial.first_launch_ns());
}

TEST_F(TrialStages, CodeThatDoesNotCompileIsADiagnostic) {
  compiler_.set_diagnostic(Diagnostic{"scale.cu:3:5: error: no", "the whole log", "cc scale.cu", false});
  const Variant variant = this->variant();
  Trial trial(variant, context_, pool_, false);
  trial.specialise();
  const auto failure = trial.load();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->summary, "scale.cu:3:5: error: no");
  EXPECT_TRUE(trial.loaded_units().empty());
}

TEST_F(TrialStages, InputsAreMadeAnewBeforeTheyDriftTooFar) {
  edit_workload("verify:", "measure: {refresh: 3}\nverify:");
  const Variant variant = this->variant();
  Trial trial(variant, context_, pool_, true);
  make_ready(trial);
  EXPECT_EQ(trial.most_steps(), 3U);
  KeptBuffers::Counts& counts = pool_.kept().counts();
  const auto made = [&] { return counts.filled + counts.copied; };
  const auto before = made();
  for (int i = 0; i < 3; ++i) step(trial);
  EXPECT_EQ(made(), before);
  step(trial);
  EXPECT_GT(made(), before);
  const auto after = made();
  trial.make_ready(2);
  EXPECT_EQ(made(), after) << "three steps since then";
  trial.make_ready(1);
  EXPECT_GT(made(), after);
}

TEST_F(TrialStages, AParkedTrialGivesItsMemoryBackAndGoesOnWhenItIsNeeded) {
  const Variant variant = this->variant();
  Trial trial(variant, context_, pool_, false);
  make_ready(trial);
  trial.park();
  EXPECT_TRUE(trial.launches().empty());
  pool_.clear();
  EXPECT_EQ(device_->free_memory_bytes(), device_->info().memory_bytes);
  const std::size_t before = launches();
  step(trial);
  EXPECT_EQ(launches(), before + 1);
  trial.verify();
  EXPECT_TRUE(trial.checks().at(0).ok);
}

TEST_F(TrialStages, OtherCodeRunsOnItsBuffers) {
  const Variant variant = this->variant();
  const Variant generic = this->variant({{"bind.all", "run"}});
  Trial trial(variant, context_, pool_, false);
  make_ready(trial);
  const std::vector<Unit> units =
      TrialNeeds(generic.configuration).step_units(device_->info().target, disk_.files);
  const LoadedUnits loaded = load_units(
      units, [&](const Unit& unit) { return service_->get(unit.specialization, compiler_, device_); });
  ASSERT_TRUE(loaded.complete);
  auto step = trial.bind_step(generic.configuration, loaded.units);
  const std::size_t before = launches();
  trial.run_step(*step);
  EXPECT_EQ(launches(), before + 1);
}

TEST_F(TrialStages, WhatDoesNotFitEndsTheTrial) {
  device_->mutable_info().limits.max_threads_per_block = 100;
  const Variant variant = this->variant({{"block", "128"}});
  Trial trial(variant, context_, pool_, false);
  trial.specialise();
  ASSERT_FALSE(trial.load());
  EXPECT_THAT(test::message_of(ErrorKind::kUnfit, [&] { trial.prepare(); }), HasSubstr("128"));
}

TEST_F(TrialStages, UnitsAreLoadedUpToTheFirstWithoutCode) {
  const std::vector<Unit> units =
      TrialNeeds(variant().configuration).units(device_->info().target, disk_.files);
  ASSERT_EQ(units.size(), 2U);
  int asked = 0;
  const LoadedUnits stopped = load_units(units, [&](const Unit&) {
    ++asked;
    return std::optional<std::variant<ServiceResult, Diagnostic>>();
  });
  EXPECT_FALSE(stopped.complete);
  EXPECT_FALSE(stopped.failure);
  EXPECT_EQ(asked, 1);
  const auto second_fails = [&](const Unit& unit) -> std::variant<ServiceResult, Diagnostic> {
    if (&unit != &units.front() &&
        unit.specialization.source_name != units.front().specialization.source_name)
      return Diagnostic{"no", "no", "no", false};
    return service_->get(unit.specialization, compiler_, device_);
  };
  for (const LoadedUnits& some :
       {load_units(units, second_fails), load_units_at_once(units, second_fails, nullptr)}) {
    EXPECT_FALSE(some.complete);
    EXPECT_EQ(some.units.size(), 1U);
    EXPECT_EQ(some.units.at(0).unit.specialization.source_name, units[0].specialization.source_name);
    ASSERT_TRUE(some.failure);
    EXPECT_EQ(some.failure->summary, "no");
  }
}

TEST_F(TrialStages, NoCompilerForTheBackEndIsTheEnvironmentsFault) {
  context_.compilers.clear();
  EXPECT_THROW(static_cast<void>(context_.compiler_for("fake")), Error);
}

TEST_F(TrialTest, NeedsAreAskedOnce) {
  const Variant variant = this->variant({{"n", "100"}});
  const TrialNeeds needs(variant.configuration);
  ASSERT_EQ(needs.step().size(), 1U);
  EXPECT_EQ(needs.step()[0].launch->timing, "scale");
  EXPECT_EQ(needs.buffers(), (std::vector<std::string>{"x", "y", "y_reference"}));
  EXPECT_EQ(needs.bytes(), 3U * 100 * sizeof(double));
  EXPECT_EQ(needs.checks().size(), 1U);
  EXPECT_EQ(needs.step_units(device_->info().target, disk_.files).size(), 1U);
  EXPECT_EQ(needs.units(device_->info().target, disk_.files).size(), 2U);
  EXPECT_FALSE(needs.has_host_references());
}

TEST_F(TrialTest, AReferenceOnTheHostIsAUnitOfTheHostAndNoneOfTheDevice) {
  edit_workload("buffer: y_reference}", "buffer: y_reference, on: cpu}");
  const Variant variant = this->variant();
  const TrialNeeds needs(variant.configuration);
  EXPECT_TRUE(needs.has_host_references());
  EXPECT_EQ(needs.buffers(), (std::vector<std::string>{"x", "y"}));
  const auto units = needs.units(device_->info().target, disk_.files);
  ASSERT_EQ(units.size(), 1U);
  EXPECT_TRUE(units[0].name_expressions.contains("scale"));
  const auto host = needs.host_units({"cpu", "host"}, disk_.files);
  ASSERT_EQ(host.size(), 1U);
  EXPECT_TRUE(host[0].name_expressions.contains("scale_reference"));
  EXPECT_EQ(host[0].specialization.target.backend, "cpu");
}

}  // namespace
}  // namespace kiln
