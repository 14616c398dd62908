#include "tune/tuner.h"

#include <gmock/gmock.h>

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <thread>

#include "base/text.h"
#include "record/record_json.h"
#include "search/searcher.h"
#include "service/task_threads.h"
#include "support/error_matchers.h"
#include "tune/recorded_file.h"
#include "tune/tune_report.h"
#include "tune/tuner_fixture.h"

namespace kiln {
namespace {

using testing::Contains;
using testing::HasSubstr;

using test::TunerTest;

constexpr const char* kSpace = "tune: {space: {block: all, bind.n: [compile, run]}, searcher: random}\n";

TEST_F(TunerTest, FindsTheBestAndComparesItWithTheDefault) {
  const TuneResult result = tune_job(kSpace);
  EXPECT_EQ(best(result), "block=32 bind.n=compile");
  EXPECT_EQ(result.end, "every point is known");
  EXPECT_EQ(result.evaluations.size(), 8U);
  ASSERT_TRUE(result.default_variant);
  EXPECT_EQ(result.evaluations[*result.default_variant].values, (std::vector<std::string>{"256", "compile"}));
  ASSERT_GE(result.finalists.size(), 2U);
  EXPECT_EQ(result.finalists.front().evaluation, *result.best);
}

TEST_F(TunerTest, BeginsWithTheDefaultAndThePointsThatItIsGiven) {
  first_ = {3, 0, 3};
  static_cast<void>(
      tune_job("tune: {space: {block: all, bind.n: [compile, run]}, budget: {evaluations: 4}}\n"));
  ASSERT_EQ(sink_.measured.size(), 4U);
  sink_.measured.pop_back();
  EXPECT_EQ(sink_.measured,
            (std::vector<std::string>{"default", "block=64 bind.n=run", "block=32 bind.n=compile"}));
  sink_.measured.clear();
  static_cast<void>(
      tune_job("tune: {space: {block: all, bind.n: [compile, run]}, budget: {evaluations: 2}}\n"));
  EXPECT_EQ(sink_.measured, (std::vector<std::string>{"default", "block=64 bind.n=run"}));
}

TEST_F(TunerTest, PointsToBeginWithThatAreKnownGetNoSecondLine) {
  first_ = {2, 0, 1};
  const std::string job = "tune: {space: {block: [32, 64, 128]}, searcher: exhaustive}\n";
  tune_job(job);
  const auto outcomes = [this] {
    const std::string text = *disk_.files.read_file("/out/tune.jsonl");
    std::size_t count = 0;
    for (const std::string& line : split(text, '\n'))
      if (line.find("\"event\":\"outcome\"") != std::string::npos) ++count;
    return count;
  };
  const std::size_t before = outcomes();
  EXPECT_GT(before, 0U);
  tune_job(job, true);
  EXPECT_EQ(outcomes(), before);
}

/// One lane to a FakeRunner, which notes what it has run.
class OneOtherLane final : public TrialLanes {
 public:
  std::vector<TrialLane> lanes(const JobContext& context) override {
    auto runner = std::make_unique<test::FakeRunner>(context);
    runner->status_of = [this](const Variant& variant, const TrialRequest&) {
      labels.insert(variant.label);
      return RunStatus::kOk;
    };
    std::vector<TrialLane> lanes;
    lanes.push_back({std::move(runner), "other"});
    return lanes;
  }
  std::set<std::string> labels;
};

TEST_F(TunerTest, OtherDevicesMeasureSomeOfThePointsAndEachPointOnce) {
  OneOtherLane other;
  others_ = &other;
  runner_.status_of = [&](const Variant&, const TrialRequest&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // the other lane gets its turn
    return RunStatus::kOk;
  };
  const TuneResult result = tune_job(kSpace);
  EXPECT_EQ(best(result), "block=32 bind.n=compile");
  EXPECT_EQ(result.evaluations.size(), 8U);
  EXPECT_FALSE(other.labels.empty());
  EXPECT_FALSE(other.labels.contains("default"));
}

TEST_F(TunerTest, EqualVariantsAreMeasuredOnce) {
  const TuneResult result = tune_job("tune: {space: {block: all, mode: all}, searcher: random}\n");
  EXPECT_EQ(result.evaluations.size(), 4U);
  EXPECT_EQ(result.asked, 7U);  // the default was not asked for
  EXPECT_EQ(result.end, "every point is known");
}

TEST_F(TunerTest, SlowVariantsAreCutAndANewBestIsMeasuredTwice) {
  static_cast<void>(tune_job(kSpace));
  double best = std::numeric_limits<double>::infinity();
  std::size_t confirmed = 0;
  for (std::size_t i = 0; i < runner_.requests.size(); ++i) {
    const TrialRequest& request = runner_.requests[i].second;
    if (request.measure.max_samples == 3) continue;  // of the last rounds
    if (request.input_seed != 0) {
      ++confirmed;
      EXPECT_TRUE(std::isinf(request.give_up_above));
      best = std::min(best, runner_.seconds.at(i));
    } else if (confirmed > 0) {
      EXPECT_NEAR(request.give_up_above, 1.1 * best, 1e-9);
    }
  }
  EXPECT_GE(confirmed, 1U);
  EXPECT_DOUBLE_EQ(best, 0.032);
  runner_.requests.clear();
  static_cast<void>(tune_job("tune: {space: {block: all}, cut: off}\n"));
  for (const auto& [label, request] : runner_.requests) EXPECT_TRUE(std::isinf(request.give_up_above));
}

TEST_F(TunerTest, AWrongVariantNeverWins) {
  runner_.status_of = [](const Variant& variant, const TrialRequest& request) {
    if (variant.label == "block=32 bind.n=compile") return RunStatus::kWrong;
    const bool second = request.input_seed != 0;  // right by luck with the first inputs
    return second && variant.label == "block=64 bind.n=compile" ? RunStatus::kWrong : RunStatus::kOk;
  };
  const TuneResult result = tune_job(kSpace);
  EXPECT_EQ(best(result), "block=32 bind.n=run");
  EXPECT_EQ(result.evaluations.size(), 8U);
  for (const Finalist& one : result.finalists)
    EXPECT_EQ(result.evaluations[one.evaluation].outcome.kind, OutcomeKind::kValue);
}

TEST_F(TunerTest, FailuresAreOutcomesAndTheSearchGoesOn) {
  const std::map<std::string, RunStatus> statuses = {{"block=32 bind.n=compile", RunStatus::kCrashed},
                                                     {"block=32 bind.n=run", RunStatus::kTimedOut},
                                                     {"block=64 bind.n=run", RunStatus::kCompileFailed},
                                                     {"block=128 bind.n=run", RunStatus::kUnfit}};
  runner_.status_of = [&](const Variant& variant, const TrialRequest&) {
    const auto found = statuses.find(variant.label);
    return found == statuses.end() ? RunStatus::kOk : found->second;
  };
  const TuneResult result = tune_job(kSpace);
  EXPECT_EQ(best(result), "block=64 bind.n=compile");
  std::map<std::string, FailureKind> failed;
  for (const Evaluation& one : result.evaluations) {
    if (one.outcome.kind == OutcomeKind::kFailed) failed[one.label] = one.outcome.failure;
  }
  EXPECT_EQ(failed, (std::map<std::string, FailureKind>{{"block=32 bind.n=compile", FailureKind::kFault},
                                                        {"block=32 bind.n=run", FailureKind::kTimeout},
                                                        {"block=64 bind.n=run", FailureKind::kCompile},
                                                        {"block=128 bind.n=run", FailureKind::kUnfit}}));
}

TEST_F(TunerTest, WhatCannotBeLaunchedDoesNotComeToTheRunner) {
  compiler_.set_static_shared_bytes(1 << 20);  // of a device that has 48 KiB for a block
  const TuneResult result = tune_job("tune: {space: {block: all}}\n");
  EXPECT_TRUE(runner_.requests.empty());
  EXPECT_FALSE(result.best);
  ASSERT_EQ(result.evaluations.size(), 4U);
  for (const Evaluation& one : result.evaluations) {
    EXPECT_EQ(one.outcome, Outcome::failed(FailureKind::kUnfit));
    EXPECT_THAT(one.sizes.back().message, HasSubstr("1048576 bytes of static"));
  }
  EXPECT_EQ(sink_.records.size(), 4U);
}

TEST_F(TunerTest, BudgetsEndIt) {
  EXPECT_EQ(tune_job("tune: {space: {block: all, bind.n: [compile, run]}, budget: {evaluations: 3}}\n").end,
            "3 evaluations");
  EXPECT_EQ(sink_.evaluated_count, 3U);
  EXPECT_EQ(tune_job("tune: {space: {block: all, bind.n: [compile, run]}, budget: {fraction: 0.5}}\n").end,
            "4 evaluations");
  // The default is no point of this space, and does not count.
  const TuneResult whole =
      tune_job("tune: {space: {block: [64, 128], bind.n: [compile]}, budget: {fraction: 1}}\n");
  EXPECT_EQ(whole.end, "2 evaluations");
  EXPECT_EQ(whole.evaluations.size(), 3U);
  EXPECT_EQ(tune_job("tune: {space: {block: all}, budget: {target: 0.3}}\n").end, "the target is reached");
  EXPECT_EQ(tune_job("tune: {space: {block: all}, budget: {time: 0}}\n").end, "0 s are over");
  runner_.seconds_of = [](const Variant&) { return 1.0; };
  EXPECT_EQ(tune_job("tune: {space: {block: all, bind.n: [compile, run]}, budget: {stall: 2}}\n").end,
            "2 evaluations without a new best");
}

TEST_F(TunerTest, DefaultAndPaperAreMeasuredBesideTheBestAndThePapersVariantNeverWins) {
  edit_workload("  input: {type: path}",
                "  implementation: {type: choice, default: tuned, values: [tuned, paper], bind: compile}\n  "
                "input: {type: path}");
  disk_.files.write_file(
      "/kernels/scale/scale.cu",
      std::string(test::kScaleSource) + "constexpr auto kChoice = Params::implementation;\n", false);
  runner_.seconds_of = [](const Variant& variant) {
    if (variant.configuration.value("implementation").to_string() == "paper") return 1e-3;
    return 1e-3 * variant.configuration.value("block").number();
  };
  const TuneResult result = tune_job("tune: {space: {block: [32, 64]}, cut: off}\n");
  EXPECT_EQ(best(result), "block=32");
  ASSERT_TRUE(result.paper_variant);
  std::vector<std::string> beside;
  for (const Finalist& one : result.finalists) beside.push_back(result.evaluations[one.evaluation].label);
  EXPECT_EQ(beside, (std::vector<std::string>{"block=32", "paper", "block=64", "default"}));
  EXPECT_DOUBLE_EQ(result.finalists[1].value.median, 1e-3);
}

TEST_F(TunerTest, TiesGoToTheVariantThatDiffersLeastFromTheDefault) {
  runner_.seconds_of = [](const Variant&) { return 1.0; };
  const TuneResult result =
      tune_job("tune: {space: {block: all, bind.n: [compile, run], fast_math: [false, true]}}\n");
  EXPECT_EQ(result.best, result.default_variant);
}

TEST_F(TunerTest, SizesAreTunedTogetherAndABadFirstOneEndsAPoint) {
  const TuneResult result =
      tune_job("tune: {space: {block: all}, sizes: [{n: 1000}, {n: 2000}], searcher: exhaustive}\n");
  EXPECT_EQ(best(result), "block=32");
  for (const Evaluation& one : result.evaluations) {
    const bool cut = one.outcome.kind == OutcomeKind::kCut;
    EXPECT_EQ(one.sizes.size(), cut ? 1U : 2U) << one.label;
    EXPECT_EQ(one.sizes.front().size, "n=1000");
  }
  EXPECT_THAT(sink_.records, Contains("block=32 n=2000"));
}

TEST_F(TunerTest, TwoObjectivesGiveAFront) {
  const TuneResult result =
      tune_job("tune: {space: {block: all}, objective: {pareto: [time, bandwidth]}, searcher: exhaustive}\n");
  ASSERT_EQ(result.front.size(), 1U);  // one follows from the other here
  EXPECT_EQ(result.evaluations[result.front.front()].label, "block=32");
}

TEST_F(TunerTest, TheJournalReplaysTheSearch) {
  // Three times as many as are asked for at once.
  const auto evaluations = 6 * static_cast<std::uint64_t>(usable_cores());
  std::string sizes = "1";
  for (std::uint64_t n = 2; n <= evaluations; ++n) sizes += ", " + std::to_string(n);
  static_cast<void>(tune_job("tune: {space: {block: all, n: [" + sizes +
                             "]}, searcher: {name: genetic, seed: 5}, budget: {evaluations: " +
                             std::to_string(evaluations) + "}}\n"));
  const auto events = journal_.read(log_);
  const TuningSpace space(job_, disk_.workload(), device_->info(), disk_.files);
  const auto searcher = make_searcher("genetic", space.points(), {5, evaluations});
  std::size_t asks = 0;
  for (const JournalEvent& event : events) {
    if (const auto* ask = std::get_if<JournalAsk>(&event)) {
      std::vector<std::vector<std::string>> points;
      for (const std::uint64_t rank : searcher->ask(ask->wanted))
        points.push_back(space.values(space.points().point(rank)));
      EXPECT_EQ(points, ask->points);
      ++asks;
    }
    if (const auto* outcome = std::get_if<Evaluation>(&event)) {
      if (const auto rank = space.rank(outcome->values))  // the default may be no point of the space
        searcher->tell(*rank, outcome->outcome);
    }
  }
  EXPECT_GE(asks, 2U);
}

TEST_F(TunerTest, GoesOnWithAnotherSearcherBudgetAndObjective) {
  static_cast<void>(
      tune_job("tune: {space: {block: all, bind.n: [compile, run]}, budget: {evaluations: 3}, cut: off}\n"));
  const std::size_t measured = sink_.measured.size();
  EXPECT_EQ(measured, 3U);
  const TuneResult result = tune_job(
      "tune: {space: {block: all, bind.n: [compile, run]}, objective: bandwidth, searcher: random, cut: "
      "off}\n",
      true);
  EXPECT_EQ(result.known, 3U);
  EXPECT_EQ(result.evaluations.size(), 8U);
  EXPECT_EQ(sink_.measured.size(), 8U);  // none of them again
  EXPECT_EQ(best(result), "block=32 bind.n=compile");
}

TEST_F(TunerTest, AChangedSourceKeepsPointsWhoseKeysAreUnchanged) {
  static_cast<void>(tune_job("tune: {space: {block: all}}\n"));
  std::string source = test::kScaleSource;
  source += "// another text\n";
  disk_.files.write_file("/kernels/scale/scale.cu", source, false);
  sink_.measured.clear();
  EXPECT_EQ(tune_job("tune: {space: {block: all}}\n", true).known, 0U);
  EXPECT_EQ(sink_.measured.size(), 4U);
  disk_.files.write_file("/kernels/scale/scale.cu", test::kScaleSource, false);
  EXPECT_EQ(tune_job("tune: {space: {block: all}}\n", true).known, 4U);
}

TEST_F(TunerTest, AKilledSearchLosesThePointInFlight) {
  static_cast<void>(tune_job("tune: {space: {block: all}, searcher: exhaustive}\n"));
  std::string text = disk_.files.read_file("/out/tune.jsonl").value();
  // Cut off within the line of the third outcome.
  std::size_t at = 0;
  for (int i = 0; i < 3; ++i) at = text.find("{\"event\":\"outcome\"", at + 1);
  disk_.files.write_file("/out/tune.jsonl", text.substr(0, at + 40), false);
  EXPECT_EQ(tune_job("tune: {space: {block: all}, searcher: exhaustive}\n", true).known, 2U);
  EXPECT_TRUE(log_.contains("a crash cut this line off"));
}

TEST_F(TunerTest, WhatHasEndedTwoProcessesIsNotRunAgain) {
  static_cast<void>(tune_job(kSpace));
  Record crash = record_from_json(record_to_json(sink_.last.at("block=32 bind.n=compile")), "", 1);
  crash.status = RunStatus::kCrashed;
  ended_ = {crash};  // a person may have killed it
  EXPECT_EQ(best(tune_job(kSpace)), "block=32 bind.n=compile");
  ended_ = {crash, crash};
  runner_.requests.clear();
  const TuneResult result = tune_job(kSpace);
  EXPECT_NE(best(result), "block=32 bind.n=compile");
  for (const auto& [label, request] : runner_.requests) EXPECT_NE(label, "block=32 bind.n=compile");
  EXPECT_THAT(sink_.last.at("block=32 bind.n=compile").message, HasSubstr("two earlier searches"));
  crash.status = RunStatus::kTimedOut;
  ended_ = {crash};
  EXPECT_NE(best(tune_job(kSpace)), "block=32 bind.n=compile");
  EXPECT_THAT(sink_.last.at("block=32 bind.n=compile").message, HasSubstr("launch_time_limit"));
}

TEST_F(TunerTest, AJournalIsARecordedSpace) {
  runner_.status_of = [](const Variant& variant, const TrialRequest&) {
    return variant.label == "block=128 bind.n=run" ? RunStatus::kWrong : RunStatus::kOk;
  };
  static_cast<void>(tune_job("tune: {space: {block: all, bind.n: [compile, run]}, cut: off}\n"));
  const RecordedSpace recorded = read_recorded_space(disk_.files, "/out/tune.jsonl");
  EXPECT_EQ(recorded.space.count(), 8U);
  EXPECT_EQ(recorded.parameters[0].values, (std::vector<std::string>{"32", "64", "128", "256"}));
  EXPECT_DOUBLE_EQ(recorded.optimum(), 0.032);
  std::size_t wrong = 0;
  for (const RecordedPoint& point : recorded.points)
    wrong += point.outcome == Outcome::failed(FailureKind::kWrong) ? 1U : 0U;
  EXPECT_EQ(wrong, 1U);
}

TEST_F(TunerTest, TheReportSaysWhatWasFoundAndTheJobRunsIt) {
  disk_.files.write_file("/kernels/a b", "", false);
  runner_.status_of = [](const Variant& variant, const TrialRequest&) {
    return variant.configuration.value("block").to_string() == "128" ? RunStatus::kWrong : RunStatus::kOk;
  };
  std::string job;
  const std::string text = tune_job("set: {input: '/kernels/a b'}\n" + std::string(kSpace), false,
                                    [&](const TuneTask& task, const TuneResult& result) {
                                      job = best_job(task, result);
                                      return tune_report(task, result, TextStyle{});
                                    });
  EXPECT_THAT(text, HasSubstr("best: block=32, 32.0 ms [32.0 ms, 32.0 ms]\n"));
  EXPECT_THAT(text, HasSubstr("default: 256 ms [256 ms, 256 ms]; the best is 8 times as good"));
  EXPECT_THAT(text, HasSubstr("effect of"));
  EXPECT_THAT(text, HasSubstr("\n block "));
  EXPECT_THAT(text, HasSubstr("2 wrong: block=128"));
  EXPECT_THAT(text, HasSubstr("and others, all with block=128"));
  EXPECT_THAT(text, HasSubstr("8 points, 8 valid; "));
  constexpr std::string_view kDevice = "device: fake:0";
  job.replace(job.find(kDevice), kDevice.size(), "device: cpu");
  const JobSpec best = parse_job(job, "best.yaml");
  EXPECT_EQ(best.workload, "scale");
  ASSERT_EQ(best.set.size(), 3U);
  EXPECT_EQ(best.set[0].second.text, "/kernels/a b");
  EXPECT_EQ(best.set[1].second.text, "32");
  EXPECT_EQ(best.set[2].second.text, "compile");
}

TEST_F(TunerTest, AJournalOfAnotherDeviceIsRefused) {
  journal_.append(JournalHeader{"1", "scale", "", "", {"block"}, "random", 1, "another", "x", "", ""});
  EXPECT_THAT(test::bad_input_of([&] { static_cast<void>(tune_job("tune: {space: {block: all}}\n", true)); }),
              HasSubstr("on another (x)"));
}

TEST_F(TunerTest, ADeviceThatIsLostEndsItAndWhatEndedItIsKnown) {
  bool lost = false;
  runner_.status_of = [&](const Variant& variant, const TrialRequest&) {
    if (lost) return RunStatus::kNotRun;
    lost = variant.label != "default";
    return lost ? RunStatus::kFaulted : RunStatus::kOk;
  };
  const std::string job = "tune: {space: {block: all}, searcher: exhaustive}\n";
  const TuneResult result = tune_job(job);
  EXPECT_THAT(result.end, HasSubstr("--resume goes on"));
  EXPECT_TRUE(result.best);
  EXPECT_EQ(result.evaluations.back().outcome, Outcome::failed(FailureKind::kFault));
  const std::size_t evaluated = result.evaluations.size();
  runner_.status_of = {};  // another process
  const TuneResult rest = tune_job(job, true);
  EXPECT_EQ(rest.known, evaluated);
  EXPECT_EQ(rest.evaluations.size(), 4U);
  EXPECT_EQ(rest.end, "every point is known");
}

TEST_F(TunerTest, EndsInOrderWhenItIsStopped) {
  stop_ = [this] { return sink_.measured.size() == 3; };
  const TuneResult result = tune_job(kSpace);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.evaluations.size(), 2U);
  EXPECT_TRUE(result.best);
  EXPECT_TRUE(result.finalists.empty());
}

}  // namespace
}  // namespace kiln
