#include "job/job_fixture.h"
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

}  // namespace
}  // namespace kiln
