#include "job/job_fixture.h"
#include "job/trial_question.h"
#include "record/record_json.h"
#include "support/error_matchers.h"

namespace kiln {
namespace {

using test::bad_input_of;
using test::FakeKernel;
using test::JobTest;
using testing::ElementsAre;
using testing::HasSubstr;

class WisdomJobTest : public JobTest {
 protected:
  WisdomJobTest() {
    advice_.compiler = [](const std::string&) { return "fakec 1.0"; };
    advice_.now.kiln = "1.0";
    advice_.today = "2026-11-23";
  }
  void know(const NamedTexts& values, std::int64_t n) {
    WisdomRecord record;
    record.key = {"scale", "time", wisdom_device(device_->info()), {{"T", "double"}}, {{"n", n}}};
    record.values = values;
    record.result.time = {1e-3};
    record.made = {"1.0", "", "fakec 1.0", "", "2026-11-22", ""};
    record.where = {"/w/scale.wisdom.yaml", 2, 3};
    records_.push_back(record);
    advice_.book = WisdomBook(records_);
  }
  JobPlan advised(const std::string& job) {
    return make_plan(parse_job(job, "/job.yaml"),
                     WorkloadLibrary(disk_.files, {"/kernels"}).load("scale", {}), disk_.files,
                     {device_->info()}, &advice_);
  }
  std::vector<Record> run_advised(const std::string& job) {
    run_job(advised(job), context(), sink_);
    return sink_.records;
  }
  static std::string value(const Record& record, const std::string& name) {
    for (const BoundParameter& parameter : record.parameters) {
      if (parameter.name == name) return parameter.value;
    }
    return "";
  }
  /// Blocks of 32 give wrong results.
  void spoil_small_blocks() {
    FakeKernel kernel;
    kernel.seconds = 1e-3;
    kernel.body = [this](const LaunchShape& shape, void* const* arguments) {
      double* y = *static_cast<double* const*>(arguments[0]);
      const double* x = *static_cast<const double* const*>(arguments[1]);
      for (int i = 0; i < count_; ++i) y[i] = (shape.block.x == 32 ? 2.0 : 3.0) * x[i];
    };
    device_->define("_Zscale", std::move(kernel));
  }
  std::vector<WisdomRecord> records_;
  WisdomAdvice advice_;
};

TEST_F(WisdomJobTest, WhatNothingGivesTakesTheValuesOfTheNearestRecord) {
  know({{"block", "32"}, {"mode", "plain"}}, 1000);
  know({{"block", "64"}, {"mode", "plain"}}, 2000);
  const JobPlan plan = advised("workload: scale\nsweep: {n: [1000, 1800]}\nset: {mode: plain}\n");
  ASSERT_EQ(plan.variants.size(), 2U);
  EXPECT_EQ(plan.variants[0].configuration.value("block").to_string(), "32");
  EXPECT_EQ(plan.variants[0].configuration.value("mode").to_string(), "plain");
  EXPECT_EQ(plan.variants[1].configuration.value("block").to_string(), "64");
  EXPECT_EQ(plan.variants[1].otherwise->value("block").to_string(), "256");
  EXPECT_THAT(plan.notes, ElementsAre(HasSubstr("measured 1 day ago"), HasSubstr("n 2000 -> 1800 (d 0.11)")));
}

TEST_F(WisdomJobTest, TheRecordSaysWhichWisdomItWas) {
  know({{"block", "32"}}, 1000);
  const std::vector<Record> records = run_advised("workload: scale\nmeasure: {max_samples: 5}\n");
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(value(records[0], "block"), "32");
  ASSERT_TRUE(records[0].wisdom);
  EXPECT_EQ(records[0].wisdom->file, "/w/scale.wisdom.yaml");
  EXPECT_EQ(records[0].wisdom->failure, "");
  EXPECT_THAT(record_to_json(records[0]), HasSubstr(R"("wisdom":{"file":"/w/scale.wisdom.yaml")"));
}

TEST_F(WisdomJobTest, APointThatGivesWrongResultsIsReplacedByTheDefaultsAndMarked) {
  spoil_small_blocks();
  know({{"block", "32"}}, 1000);
  const std::vector<Record> records = run_advised("workload: scale\nmeasure: {max_samples: 5}\n");
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].status, RunStatus::kOk);
  EXPECT_EQ(value(records[0], "block"), "256");
  ASSERT_TRUE(records[0].wisdom);
  EXPECT_THAT(records[0].wisdom->failure, HasSubstr("wrong: reference"));
}

TEST_F(WisdomJobTest, APointThatDoesNotCompileIsReplacedToo) {
  know({{"block", "32"}}, 1000);
  const JobPlan plan = advised("workload: scale\nmeasure: false\n");
  Diagnostic diagnostic;
  diagnostic.summary = "no such instruction";
  compiler_.set_diagnostic(diagnostic);
  // Both fail: the error is that of the defaults, as without wisdom.
  EXPECT_THROW(run_job(plan, context(), sink_), Error);
  compiler_.set_diagnostic(std::nullopt);
  run_job(plan, context(), sink_);
  EXPECT_EQ(value(sink_.records.back(), "block"), "32");
}

TEST_F(WisdomJobTest, StrictRefusesNoneAndAStaleOne) {
  advice_.strict = true;
  EXPECT_THAT(bad_input_of([&] { advised("workload: scale\n"); }),
              HasSubstr("--strict-wisdom: wisdom: none for scale"));
  know({{"block", "32"}}, 1000);
  EXPECT_EQ(advised("workload: scale\n").variants.size(), 1U);
  advice_.now.kiln = "1.1";
  EXPECT_THAT(bad_input_of([&] { advised("workload: scale\n"); }),
              HasSubstr("/w/scale.wisdom.yaml:2:3: --strict-wisdom: wisdom: "));
}

/// A program of two launches of the scale kernel, with points of the workload `scale`.
class LaunchWisdomTest : public WisdomJobTest {
 protected:
  LaunchWisdomTest() {
    text_ = test::kScaleYaml;
    replace("workload: scale", "workload: twice");
    replace("source: scale.cu", "source: /kernels/scale/scale.cu");
    replace("source: scale_data.cu", "source: /kernels/scale/scale_data.cu");
    replace("run: [scale]",
            "run:\n  - {kernel: scale, as: first, with: {n: 500}, wisdom: scale}\n"
            "  - {kernel: scale, wisdom: scale}\n");
  }
  void replace(const std::string& old, const std::string& other) {
    text_.replace(text_.find(old), old.size(), other);
  }
  JobPlan advised_program(const std::string& job) {
    advice_.launches = {
        {"scale", WorkloadLibrary(disk_.files, {"/kernels"}).load("scale", {}), advice_.book, ""}};
    advice_.book = WisdomBook();
    return make_plan(parse_job(job, "/job.yaml"),
                     parse_workload(YamlNode::parse(text_, "twice.yaml"), text_, "/kernels/twice"),
                     disk_.files, {device_->info()}, &advice_);
  }
  static std::string value_in(const JobPlan& plan, const std::string& name) {
    return plan.variants.front().configuration.find_value(name)->to_string();
  }
  std::string text_;
};

TEST_F(LaunchWisdomTest, ALaunchTakesThePointOfItsSizes) {
  know({{"block", "32"}, {"mode", "plain"}}, 500);
  know({{"block", "64"}, {"mode", "plain"}}, 1000);
  const JobPlan plan = advised_program("workload: twice\n");
  EXPECT_EQ(value_in(plan, "first.block"), "32");
  EXPECT_EQ(value_in(plan, "scale.block"), "64");
  EXPECT_EQ(value_in(plan, "block"), "256");
  EXPECT_THAT(plan.notes, ElementsAre("wisdom: points of " + device_->info().name +
                                      " for 2 of 2 launches, measured 1 day ago"));
  EXPECT_TRUE(plan.variants.front().otherwise->launch_values().empty());
}

TEST_F(LaunchWisdomTest, WhatTheJobSetsStays) {
  know({{"block", "32"}, {"mode", "plain"}}, 500);
  know({{"block", "64"}, {"mode", "plain"}}, 1000);
  const JobPlan plan = advised_program("workload: twice\nset: {first.block: 128}\n");
  EXPECT_EQ(value_in(plan, "first.block"), "128");
  EXPECT_EQ(value_in(plan, "scale.block"), "64");
}

TEST_F(LaunchWisdomTest, SizesAFactorOfTwoAwayAndOtherChoicesGiveNothing) {
  know({{"block", "32"}, {"mode", "plain"}}, 2000);
  know({{"block", "64"}, {"mode", "fancy"}}, 500);
  know({{"block", "128"}}, 1000);  // found without saying with which mode
  EXPECT_THAT(advised_program("workload: twice\n").notes, ElementsAre(HasSubstr("wisdom: none for twice")));
}

TEST_F(LaunchWisdomTest, APointThatBreaksAConstraintIsLeftOutAlone) {
  replace("n * block <= 1000000", "n * block <= 1000000 && (n != 500 || block != 32)");
  know({{"block", "32"}, {"mode", "plain"}}, 500);
  know({{"block", "64"}, {"mode", "plain"}}, 1000);
  const JobPlan plan = advised_program("workload: twice\n");
  EXPECT_EQ(value_in(plan, "first.block"), "256");
  EXPECT_EQ(value_in(plan, "scale.block"), "64");
  EXPECT_THAT(plan.notes, ElementsAre(HasSubstr("for 1 of 2 launches")));
}

TEST_F(LaunchWisdomTest, ATrialInAnotherProcessHasTheValuesOfLaunches) {
  replace("block: {type: int, default: {cpu: 64, otherwise: 256}",
          "block: {type: int, default: \"n < 600 ? 32 : 64\"");
  const JobPlan plan = advised_program("workload: twice\nset: {scale.block: 128}\n");
  const JobContext job = context();
  const TrialQuestion question = read_trial_question(trial_question(plan.variants.front(), {}), plan.workload,
                                                     job.devices, disk_.files, "");
  const Configuration& there = question.variant.configuration;
  EXPECT_EQ(there.find_value("first.block")->to_string(), "32");
  EXPECT_EQ(there.find_value("scale.block")->to_string(), "128");
  EXPECT_EQ(there.find_value("block")->to_string(), "64");
}

TEST_F(LaunchWisdomTest, RecordsHaveTheValuesOfLaunches) {
  know({{"block", "64"}, {"mode", "plain"}}, 1000);
  run_job(advised_program("workload: twice\nmeasure: {max_samples: 5}\n"), context(), sink_);
  ASSERT_EQ(sink_.records.size(), 1U);
  EXPECT_EQ(value(sink_.records[0], "scale.block"), "64");
  EXPECT_EQ(value(sink_.records[0], "block"), "256");
  EXPECT_THAT(sink_.records[0].wisdom->sentence, HasSubstr("for 1 of 2 launches"));
  EXPECT_EQ(sink_.records[0].launches.back().shape.block.x, 64U);
}

}  // namespace
}  // namespace kiln
