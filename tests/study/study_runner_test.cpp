#include "study/study_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "job/job_fixture.h"
#include "report/study_report.h"
#include "study/paired.h"
#include "study/study_views.h"
#include "support/fake_process_runner.h"

namespace kiln {
namespace {

bool all_ok(const StudyOutcome& outcome) {
  const auto records = outcome.records();
  return std::all_of(records.begin(), records.end(),
                     [](const Record* record) { return record->status == RunStatus::kOk; });
}

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kStudy =
    "workload: scale\nset: {n: 1000}\nmeasure: {rounds: 6, samples: 2, compiles: 2}\n";
constexpr const char* kFile = "/results/study.jsonl";

/// Studies of the scale workload on the fake device.
class StudyRunner : public test::JobTest {
 protected:
  StudyRunner() { disk_.files.make_directories("/scratch", true); }

  StudyPlan plan_of(const std::string& text = kStudy) {
    const std::vector<StudySpec> sections = parse_study(text, "/study.yaml");
    const std::vector<std::shared_ptr<const Workload>> workloads(sections.size(), disk_.workload());
    return plan_study(sections, workloads, {device_->info()}, disk_.files, ahead_);
  }

  StudyContext study_context(std::function<bool()> stop = [] { return false; }) {
    return {context(),       ahead_,
            processes_,      "/scratch",
            std::move(stop), [this](const StudyProgress& progress) { told_.push_back(progress); }};
  }

  /// With a file that is begun or gone on with.
  StudyOutcome study(const StudyPlan& plan, const StudyContext& context, bool resume = false) {
    StudyFile file(disk_.files, "/results");
    const StudyHeader header = header_of(plan, context);
    StudyContent content;
    if (resume) {
      content = file.resume(header.digest).value();
    } else {
      file.begin(header);
    }
    return run_study(plan, context, &file, content);
  }

  /// A study that is stopped at the `times`-th check.
  StudyOutcome interrupted(const StudyPlan& plan, int times) {
    return study(plan, study_context([times]() mutable { return times-- <= 0; }));
  }

  std::vector<nlohmann::json> lines(const std::string& kind) {
    std::vector<nlohmann::json> found;
    for (const std::string& line : split(trim(*disk_.files.read_file(kFile)), '\n')) {
      auto json = nlohmann::json::parse(line, nullptr, false);
      if (json.is_discarded()) continue;  // cut off by a crash
      if (json["kind"] == kind) found.push_back(std::move(json));
    }
    return found;
  }

  /// Case and round of each visit in the file, in order.
  std::vector<std::pair<std::string, int>> visits() {
    std::vector<std::pair<std::string, int>> all;
    for (const auto& line : lines("visit")) all.emplace_back(line["case"], line["round"]);
    return all;
  }

  std::vector<StudyProgress> told_;
  AheadCompilers ahead_;
  test::FakeProcessRunner processes_;
};

TEST_F(StudyRunner, VisitsEveryCaseOnceInEachRoundInTheOrderOfTheSeed) {
  const StudyPlan plan = plan_of();
  const StudyOutcome outcome = study(plan, study_context());
  EXPECT_FALSE(outcome.interrupted);
  EXPECT_TRUE(all_ok(outcome));
  const auto& cases = plan.devices[0].cases;
  std::vector<std::pair<std::string, int>> expected;
  for (int round = 1; round <= 6; ++round) {
    for (const std::size_t index : visit_order(1, static_cast<std::uint64_t>(round), cases.size()))
      expected.emplace_back(cases[index].name, round);
  }
  EXPECT_EQ(visits(), expected);
  for (const auto& line : lines("visit")) EXPECT_EQ(line["seconds"].size(), 2U);
}

TEST_F(StudyRunner, TellsOfEachStep) {
  const StudyPlan plan = plan_of();
  static_cast<void>(study(plan, study_context()));
  ASSERT_THAT(told_, SizeIs(5 + 5 + 30));
  const auto order = visit_order(1, 0, 5);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(told_[i].stage, "compile");
    EXPECT_EQ(told_[i].name, plan.devices[0].cases[order[i]].name);
    EXPECT_EQ(told_[i].done, i);
    EXPECT_EQ(told_[5 + i].stage, "check and time compiles");
    EXPECT_EQ(told_[5 + i].name, told_[i].name);
    EXPECT_EQ(told_[5 + i].done, i);
  }
  EXPECT_EQ(told_[10].stage, "round 1 of 6");
  EXPECT_EQ(told_[10].done, 0U);
  EXPECT_EQ(told_[39].stage, "round 6 of 6");
  EXPECT_EQ(told_[39].count, 30U);
}

TEST_F(StudyRunner, ChecksEveryCaseBeforeTheFirstIsSampled) {
  static_cast<void>(study(plan_of(), study_context()));
  bool sampled = false;
  for (const std::string& line : split(trim(*disk_.files.read_file(kFile)), '\n')) {
    const auto kind = nlohmann::json::parse(line)["kind"];
    if (kind == "visit") sampled = true;
    EXPECT_FALSE(kind == "case" && sampled);
  }
  EXPECT_THAT(lines("case"), SizeIs(5));
}

TEST_F(StudyRunner, CompilesEachCaseColdAsOftenAsAskedAndFindsItOnDisk) {
  const StudyOutcome outcome = study(plan_of(), study_context());
  for (const auto& [name, data] : outcome.devices[0].data) {
    ASSERT_TRUE(data.costs) << name;
    const bool ahead = name.starts_with("aot_");
    EXPECT_THAT(data.costs->compile_seconds, SizeIs(ahead ? 1 : 2)) << name;
    EXPECT_THAT(data.costs->disk_seconds, SizeIs(2));
    EXPECT_EQ(data.costs->keys.size(), 1U);
  }
  // Four cases twice, one once, the warm-up, and once for each distinct code in the service's memory; the
  // reference is the second source.
  EXPECT_GE(compiler_.compiles_of(test::kScaleSource), 10);
  EXPECT_TRUE(disk_.files.list("/scratch").empty());
}

TEST_F(StudyRunner, KernelsThatTakeTheSameTimeShowNoEffectAndNeverBreakEven) {
  const StudyPlan plan = plan_of();
  const StudyOutcome outcome = study(plan, study_context());
  const StudyResult& findings = outcome.devices[0].result;
  ASSERT_EQ(findings.constants.size(), 3U);
  for (const CaseRatio& ratio : findings.constants) {
    EXPECT_EQ(effect_of(ratio.speedup), Effect::kNone) << ratio.verdict;
    EXPECT_FALSE(ratio.same_code);
  }
  ASSERT_EQ(findings.controls.size(), 1U);
  EXPECT_TRUE(findings.controls[0].same_code);
  ASSERT_EQ(findings.break_even.size(), 1U);
  EXPECT_EQ(findings.break_even[0].result.kind, BreakEven::Kind::kNever);
  const std::vector<StudyReport> reports = reports_of(plan, outcome, header_of(plan, study_context()));
  ASSERT_THAT(reports, SizeIs(1));
  EXPECT_THAT(study_to_terminal(reports[0], TextStyle{}),
              AllOf(HasSubstr("n at compile time: no measurable effect"), HasSubstr("Break-even"),
                    HasSubstr("Not read by the kernels of a step\n  unused")));
}

TEST_F(StudyRunner, BreakEvenIsToldAgainstTheInstanceOfTheSameValuesAndTheFastest) {
  const StudyOutcome outcome =
      study(plan_of(std::string(kStudy) + "instantiate: {block: [64, 256]}\n"), study_context());
  std::vector<std::string> bases;
  for (const CaseBreakEven& found : outcome.devices[0].result.break_even) bases.push_back(found.base);
  // All are equally fast here: the fastest is the first.
  EXPECT_THAT(bases, ::testing::ElementsAre("aot_generic", "aot_instantiated.block=256",
                                            "aot_instantiated.block=64"));
}

TEST_F(StudyRunner, AKernelThatFailsWhileItIsSampledEndsItsCase) {
  int launches = 0;
  test::FakeKernel kernel;
  kernel.seconds = 1e-3;
  kernel.body = [this, &launches](const LaunchShape& /*shape*/, void* const* arguments) {
    if (++launches > 40) throw device_lost("kernel 'scale' failed");
    double* y = *static_cast<double* const*>(arguments[0]);
    const double* x = *static_cast<const double* const*>(arguments[1]);
    for (int i = 0; i < count_; ++i) y[i] = 3 * x[i];
  };
  device_->define("_Zscale", std::move(kernel));
  const StudyOutcome outcome = study(plan_of(), study_context());
  EXPECT_FALSE(all_ok(outcome));
  std::map<RunStatus, int> counts;
  for (const auto& [name, data] : outcome.devices[0].data) ++counts[data.record.status];
  EXPECT_EQ(counts[RunStatus::kFaulted], 1);
  EXPECT_EQ(counts[RunStatus::kNotRun], 4);
  EXPECT_TRUE(outcome.devices[0].result.constants.empty());
  EXPECT_THAT(lines("result"), SizeIs(1));
}

TEST_F(StudyRunner, RecordsCarryTimesAndMetrics) {
  const StudyOutcome outcome = study(plan_of(), study_context());
  const Record& record = outcome.devices[0].data.at("only.n").record;
  ASSERT_TRUE(record.step);
  EXPECT_EQ(record.step->count, 6U);
  EXPECT_NEAR(record.step->median, 1e-3, 1e-9);
  ASSERT_EQ(record.metrics.size(), 1U);
  EXPECT_NEAR(record.metrics[0].value, 16000 / 1e-3 * 1e-9, 1e-6);
  EXPECT_EQ(record.label, "only.n");
}

TEST_F(StudyRunner, AStudyThatWasCutShortGoesOnWhereItWas) {
  const StudyPlan plan = plan_of();
  ASSERT_TRUE(interrupted(plan, 34).interrupted);
  const auto before = visits();
  ASSERT_FALSE(before.empty());
  ASSERT_LT(before.size(), 30U);
  EXPECT_TRUE(lines("result").empty());
  const StudyOutcome outcome = study(plan, study_context(), true);
  EXPECT_TRUE(all_ok(outcome));
  const auto after = visits();
  ASSERT_EQ(after.size(), 30U);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
  EXPECT_EQ(std::set(after.begin(), after.end()).size(), 30U);
  EXPECT_THAT(lines("case"), SizeIs(5));
  EXPECT_THAT(lines("result"), SizeIs(1));
}

TEST_F(StudyRunner, AStudyThatWasCutShortWhileItCompiledCompilesTheRest) {
  const StudyPlan plan = plan_of();
  ASSERT_TRUE(interrupted(plan, 9).interrupted);
  EXPECT_TRUE(visits().empty());
  EXPECT_TRUE(all_ok(study(plan, study_context(), true)));
  EXPECT_THAT(lines("case"), SizeIs(5));
  EXPECT_THAT(visits(), SizeIs(30));
}

TEST_F(StudyRunner, ALineThatACrashToreIsPassedOver) {
  const StudyPlan plan = plan_of();
  ASSERT_TRUE(interrupted(plan, 34).interrupted);
  const auto before = visits();
  disk_.files.append_file(kFile, "{\"kind\":\"visit\",\"dev");
  EXPECT_TRUE(all_ok(study(plan, study_context(), true)));
  EXPECT_THAT(visits(), SizeIs(30));
}

TEST_F(StudyRunner, MoreRoundsAreAddedAndFewerAreLeftOut) {
  static_cast<void>(study(plan_of(), study_context()));
  StudyPlan more = plan_of();
  more.spec.rounds = 8;
  EXPECT_EQ(study(more, study_context(), true).devices[0].data.at("only.n").visits.size(), 8U);
  EXPECT_THAT(lines("result"), SizeIs(2));
  EXPECT_EQ(study(plan_of(), study_context(), true).devices[0].data.at("only.n").visits.size(), 6U);
  EXPECT_THAT(lines("result"), SizeIs(2));
}

TEST_F(StudyRunner, OnlyTheSameStudyIsGoneOnWith) {
  ASSERT_TRUE(interrupted(plan_of(), 34).interrupted);
  const StudyPlan other =
      plan_of("workload: scale\nset: {n: 500}\nmeasure: {rounds: 6, samples: 2, compiles: 2}\n");
  EXPECT_THROW(static_cast<void>(study(other, study_context(), true)), Error);
  try {
    static_cast<void>(study(plan_of(), study_context()));
    FAIL() << "an unfinished study was overwritten";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    EXPECT_THAT(error.what(), HasSubstr("--resume goes on with it"));
  }
}

TEST_F(StudyRunner, AShardGoesOnWithWhatOtherShardsHaveLeft) {
  ASSERT_TRUE(interrupted(plan_of(), 34).interrupted);
  const std::size_t known = lines("visit").size();
  ASSERT_GT(known, 0U);
  const StudyPlan plan = plan_of();
  const StudyContext context = study_context();
  StudyFile shard(disk_.files, "/results", Shard{0, 2});
  const auto content = shard.resume(header_of(plan, context).digest);
  ASSERT_TRUE(content);
  std::size_t taken = 0;
  for (const auto& [block, one] : content->blocks) {
    for (const auto& [name, visits] : one.visits) taken += visits.size();
  }
  EXPECT_EQ(taken, known);
  EXPECT_EQ(shard.path().filename(), "study-shard-1-of-2.jsonl");
  EXPECT_FALSE(StudyFile(disk_.files, "/elsewhere", Shard{0, 2}).resume("any")) << "nothing to go on with";
}

TEST_F(StudyRunner, ADamagedFileIsRefusedWithItsLine) {
  ASSERT_TRUE(interrupted(plan_of(), 34).interrupted);
  disk_.files.append_file(kFile, "{\"kind\":\"visit\"}\n");
  const std::size_t count = split(trim(*disk_.files.read_file(kFile)), '\n').size();
  try {
    static_cast<void>(study(plan_of(), study_context(), true));
    FAIL() << "a damaged file was read";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/results/study.jsonl:" + std::to_string(count) + ": "));
  }
}

TEST_F(StudyRunner, AFinishedStudyIsKeptWhenAnotherBegins) {
  static_cast<void>(study(plan_of(), study_context()));
  static_cast<void>(study(plan_of(), study_context()));
  EXPECT_TRUE(disk_.files.status("/results/study-run-1.jsonl").has_value());
  EXPECT_THAT(visits(), SizeIs(30));
}

TEST_F(StudyRunner, ACaseThatIsWrongIsRecordedAndNotSampled) {
  count_ = 999;  // the last element keeps its poison
  const StudyOutcome outcome = study(plan_of(), study_context());
  EXPECT_FALSE(all_ok(outcome));
  EXPECT_TRUE(visits().empty());
  for (const auto& [name, data] : outcome.devices[0].data)
    EXPECT_EQ(data.record.status, RunStatus::kWrong) << name;
  EXPECT_TRUE(outcome.devices[0].result.constants.empty());
}

TEST_F(StudyRunner, CasesWithoutACheckAreMeasuredAndUnchecked) {
  std::string text = test::kScaleYaml;
  const std::size_t begin = text.find("verify:");
  text.erase(begin, text.find("metrics:") - begin);
  disk_.files.write_file("/kernels/scale/scale.yaml", text, false);
  const StudyOutcome outcome = study(plan_of(), study_context());
  EXPECT_FALSE(visits().empty());
  for (const Record* record : outcome.records()) EXPECT_EQ(record->status, RunStatus::kUnchecked);
  ASSERT_FALSE(outcome.devices[0].result.constants.empty());
  EXPECT_THAT(outcome.devices[0].result.constants[0].verdict, HasSubstr("results unchecked"));
  const nlohmann::json result = lines("result").at(0);
  EXPECT_FALSE(result["cases"].empty());
  for (const auto& entry : result["cases"]) EXPECT_EQ(entry["status"], "unchecked");
}

TEST_F(StudyRunner, ACaseThatDoesNotCompileIsRecorded) {
  compiler_.set_diagnostic(Diagnostic{"scale.cu:1: error", "log", "", false, false, ""});
  const StudyOutcome outcome = study(plan_of(), study_context());
  EXPECT_FALSE(all_ok(outcome));
  for (const auto& line : lines("case")) {
    EXPECT_EQ(line["record"]["status"], "compile failed");
    EXPECT_TRUE(line["costs"].is_null());
  }
}

TEST_F(StudyRunner, BuffersThatDoNotFitTogetherAreGivenBackBetweenVisits) {
  // Each of the five cases has three vectors of 8000 bytes; all of them would need 120000.
  device_->mutable_info().memory_bytes = 60'000;
  const StudyOutcome outcome = study(plan_of(), study_context());
  EXPECT_TRUE(all_ok(outcome));
  EXPECT_THAT(visits(), SizeIs(30));
}

TEST_F(StudyRunner, ADiskThatDoesNotTakeTheFileIsToldBeforeAnythingIsCompiled) {
  disk_.files.set_read_only(true);
  const int compiles = compiler_.compiles();
  EXPECT_THROW(static_cast<void>(study(plan_of(), study_context())), Error);
  EXPECT_EQ(compiler_.compiles(), compiles);
}

TEST_F(StudyRunner, TheFirstResultIsMeasuredInEachWay) {
  const StudyOutcome outcome = study(plan_of(), study_context());
  const DeviceData& data = outcome.devices[0].data;
  const auto ways = [&](const std::string& name) {
    std::vector<FirstWay> all;
    for (const auto& [way, times] : data.at(name).costs->first) {
      EXPECT_THAT(times.seconds, SizeIs(2)) << name;
      for (const double seconds : times.seconds) EXPECT_GE(seconds, 1e-3) << name;
      all.push_back(way);
    }
    return all;
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(ways("aot_generic"), ElementsAre(FirstWay::kAhead));
  EXPECT_THAT(ways("jit_generic"), ElementsAre(FirstWay::kCold, FirstWay::kDisk));
  EXPECT_THAT(ways("only.n"), ElementsAre(FirstWay::kCold, FirstWay::kDisk));
  EXPECT_THAT(ways("jit_specialised"), ElementsAre(FirstWay::kCold, FirstWay::kDisk, FirstWay::kBackground,
                                                   FirstWay::kBackgroundDisk));
  const auto& background = data.at("jit_specialised").costs->first.at(FirstWay::kBackground);
  EXPECT_THAT(background.swap_seconds, SizeIs(2));
  ASSERT_THAT(outcome.devices[0].result.amortisation, SizeIs(1));
  EXPECT_THAT(outcome.devices[0].result.amortisation[0].curves, SizeIs(5));
  EXPECT_EQ(lines("result").at(0)["amortisation"][0]["curves"].size(), 5U);
}

TEST_F(StudyRunner, ACompilerForProgramsMakesItsOwnCases) {
  test::FakeCompiler nvcc({"nvcc", "13.0", "other"});
  ahead_["fake"] = {"nvcc", &nvcc, ""};
  const StudyOutcome outcome = study(plan_of(), study_context());
  EXPECT_TRUE(all_ok(outcome));
  const DeviceData& data = outcome.devices[0].data;
  EXPECT_EQ(data.at("aot_generic.nvcc").record.compiler.name, "nvcc");
  EXPECT_NE(data.at("aot_generic.nvcc").costs->keys, data.at("aot_generic").costs->keys);
  EXPECT_GE(nvcc.compiles_of(test::kScaleSource), 3);  // the warm-up, and two that are timed
  std::map<std::string, std::string> compiled_by;
  for (const auto& line : lines("case")) compiled_by[line["case"]] = line["compiled_by"];
  EXPECT_EQ(compiled_by["aot_generic.nvcc"], "nvcc 13.0");
  EXPECT_EQ(compiled_by["aot_generic"], "fakec 1.0");
  EXPECT_EQ(lines("result").at(0)["compilers"].size(), 1U);
}

constexpr const char* kTwo =
    "workloads: [scale, {workload: scale, name: small, constants: [n]}]\nset: {n: 1000}\n"
    "measure: {rounds: 6, samples: 2, compiles: 2}\n";

TEST_F(StudyRunner, SeveralWorkloadsHaveAResultEach) {
  const StudyPlan plan = plan_of(kTwo);
  ASSERT_THAT(plan.devices, SizeIs(2));
  const StudyOutcome outcome = study(plan, study_context());
  EXPECT_TRUE(all_ok(outcome));
  EXPECT_THAT(outcome.devices, SizeIs(2));
  EXPECT_THAT(visits(), SizeIs(30 + 24));
  const auto results = lines("result");
  ASSERT_THAT(results, SizeIs(2));
  EXPECT_EQ(results[0]["section"], "scale");
  EXPECT_EQ(results[1]["section"], "small");
  const std::vector<StudyReport> reports = reports_of(plan, outcome, header_of(plan, study_context()));
  ASSERT_THAT(reports, SizeIs(2));
  EXPECT_EQ(study_title(reports[0]).substr(0, 9), "scale on ");
  EXPECT_EQ(study_title(reports[1]).substr(0, 9), "small on ");
}

TEST_F(StudyRunner, AStudyOfSeveralWorkloadsGoesOnInTheOneThatWasCutShort) {
  const StudyPlan plan = plan_of(kTwo);
  // All of the first workload, and a part of the second.
  ASSERT_TRUE(interrupted(plan, 87).interrupted);
  ASSERT_THAT(lines("result"), SizeIs(1));
  const auto before = visits();
  EXPECT_THROW(static_cast<void>(study(plan, study_context())), Error);
  EXPECT_TRUE(all_ok(study(plan, study_context(), true)));
  const auto after = visits();
  ASSERT_EQ(after.size(), 54U);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
  EXPECT_THAT(lines("result"), SizeIs(2));
}

TEST_F(StudyRunner, TellsTheBestCaseSoFar) {
  static_cast<void>(study(plan_of(), study_context()));
  EXPECT_TRUE(told_.at(9).best.empty());
  EXPECT_FALSE(told_.at(15).best.empty());
  EXPECT_NEAR(told_.at(15).best_seconds, 1e-3, 1e-9);
}

}  // namespace
}  // namespace kiln
