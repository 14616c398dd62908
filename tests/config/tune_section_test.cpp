#include "config/tune_section.h"

#include <gmock/gmock.h>

#include "config/job_spec.h"
#include "support/error_matchers.h"

namespace kiln {
namespace {

using testing::HasSubstr;

TuneSection read(const std::string& text) {
  return parse_job("workload: w\ntune: " + text + "\n", "j.yaml").tune;
}

TEST(TuneSection, HasDefaults) {
  EXPECT_FALSE(parse_job("workload: w\n", "j.yaml").tune.given);
  const TuneSection tune = read("{}");
  EXPECT_TRUE(tune.given);
  EXPECT_EQ(tune.searcher, "default");
  EXPECT_EQ(tune.seed, 1U);
  EXPECT_EQ(tune.cut, 1.1);
  EXPECT_EQ(tune.objective.metrics, std::vector<std::string>{"time"});
  EXPECT_FALSE(tune.budget.evaluations);
}

TEST(TuneSection, ReadsEveryKey) {
  const TuneSection tune = read(R"({
  space: {wg: [64, 128], ppwi: all},
  constraints: ["wg * ppwi <= 4096"],
  sizes: [{n: 1024, m: 2}, {n: 4096}],
  objective: {pareto: [time, bandwidth]},
  budget: {time: 20 min, evaluations: 400, fraction: 0.1, target: "0.9 * roofline", stall: 100},
  searcher: {name: genetic, seed: 7},
  cut: off})");
  ASSERT_EQ(tune.space.size(), 2U);
  EXPECT_EQ(tune.space[0].values->at(1).text, "128");
  EXPECT_FALSE(tune.space[1].values);
  EXPECT_EQ(tune.constraints.at(0).text, "wg * ppwi <= 4096");
  ASSERT_EQ(tune.sizes.size(), 2U);
  EXPECT_EQ(tune.sizes[0][1].first, "m");
  EXPECT_EQ(tune.objective.kind, TuneObjective::Kind::kPareto);
  EXPECT_EQ(tune.budget.seconds, 1200);
  EXPECT_EQ(tune.budget.evaluations, 400U);
  EXPECT_EQ(tune.budget.fraction, 0.1);
  EXPECT_EQ(tune.budget.target->value.text, "0.9 * roofline");
  EXPECT_EQ(tune.budget.stall, 100U);
  EXPECT_EQ(tune.searcher, "genetic");
  EXPECT_EQ(tune.seed, 7U);
  EXPECT_FALSE(tune.cut);
  EXPECT_EQ(read("{searcher: random}").searcher, "random");
  EXPECT_EQ(read("{objective: {worst: time}}").objective.kind, TuneObjective::Kind::kWorst);
  EXPECT_EQ(read("{budget: {target: {bandwidth: 800}}}").budget.target->metric, "bandwidth");
}

TEST(TuneSection, RefusesWithThePlace) {
  const auto says = [](const std::string& text, const std::string& message) {
    EXPECT_THAT(test::bad_input_of([&] { read(text); }), HasSubstr(message));
  };
  says("{spaec: {}}", "j.yaml:2:8: unknown key 'tune.spaec'; did you mean 'space'");
  says("{space: {wg: 3}}", "tune.space.wg: expected a list");
  says("{space: {wg: [1, 1.0]}}", "tune.space.wg: '1.0' is given twice");
  says("{sizes: []}", "tune.sizes: expected at least one size");
  says("{sizes: [{}]}", "tune.sizes[0]: expected values");
  says("{objective: {best: time}}", "unknown key 'tune.objective.best'");
  says("{objective: {}}", "tune.objective: expected one of worst, mean, pareto");
  says("{objective: {pareto: [time]}}", "tune.objective.pareto: expected two metrics");
  says("{objective: {pareto: [time, time]}}", "two different metrics; found 'time' twice");
  says("{budget: {evaluations: 0}}", "tune.budget.evaluations: expected a number of evaluations");
  says("{budget: {fraction: 1.5}}", "tune.budget.fraction: expected a part of the points");
  says("{budget: {time: soon}}", "tune.budget.time: expected a time");
  says("{searcher: {seed: -1}}", "tune.searcher.seed: expected a whole number of at least 0");
  says("{cut: 0.9}", "tune.cut: expected a factor of at least 1");
  says("{constraints: {a: 1}}", "tune.constraints: ");
}

TEST(TuneSection, TheCommandLineReplacesWhatTheJobSays) {
  TuneSection tune = read("{space: {wg: [1], m: [2]}, budget: {time: 1, stall: 3}}");
  apply_space(tune, "wg=64,128");
  apply_space(tune, "ppwi=all");
  ASSERT_EQ(tune.space.size(), 3U);
  EXPECT_EQ(tune.space[1].values->size(), 2U);
  EXPECT_FALSE(tune.space[2].values);
  apply_budget(tune, "90s");
  EXPECT_EQ(tune.budget.seconds, 90);
  EXPECT_FALSE(tune.budget.stall);
  apply_budget(tune, "250");
  EXPECT_EQ(tune.budget.evaluations, 250U);
  EXPECT_FALSE(tune.budget.seconds);
  apply_objective(tune, "{worst: time}");
  EXPECT_EQ(tune.objective.kind, TuneObjective::Kind::kWorst);
  EXPECT_THAT(test::bad_input_of([&] { apply_budget(tune, "soon"); }), HasSubstr("expected a time"));
  EXPECT_THAT(test::bad_input_of([&] { apply_budget(tune, "-3"); }), HasSubstr("--budget"));
  EXPECT_THAT(test::bad_input_of([&] { apply_space(tune, "wg="); }), HasSubstr("--space name=value,value"));
}

TEST(TuneSection, SetTakesANameOutOfTheSpace) {
  JobSpec job = parse_job("workload: w\ntune: {space: {wg: [1, 2], m: [2]}}\n", "j.yaml");
  apply_set(job, "wg=64");
  ASSERT_EQ(job.tune.space.size(), 1U);
  EXPECT_EQ(job.tune.space[0].name, "m");
}

}  // namespace
}  // namespace kiln
