#include "tune/tuning_space.h"

#include <gmock/gmock.h>

#include "support/error_matchers.h"
#include "trial/trial_fixture.h"
#include "tune/objective.h"
#include "tune/variant_identity.h"

namespace kiln {
namespace {

using testing::HasSubstr;

class TuningSpaceTest : public test::TrialTest {
 protected:
  TuningSpace space(const std::string& text) {
    job_ = parse_job("workload: scale\n" + text, "j.yaml");
    return {job_, disk_.workload(), device_->info(), disk_.files};
  }
  std::string refused(const std::string& text) {
    return test::bad_input_of([&] { static_cast<void>(space(text)); });
  }
  static std::vector<std::string> names(const TuningSpace& space) {
    std::vector<std::string> names;
    for (const auto& [name, values] : space.names()) names.push_back(name);
    return names;
  }

  JobSpec job_;
};

TEST_F(TuningSpaceTest, VariesWhatTheWorkloadTunesAndTheJobLeavesFree) {
  EXPECT_EQ(names(space("")), (std::vector<std::string>{"block", "mode"}));
  EXPECT_EQ(names(space("set: {mode: plain}\n")), std::vector<std::string>{"block"});
  EXPECT_EQ(names(space("sweep: {bind.n: [run, compile]}\n")),
            (std::vector<std::string>{"bind.n", "block", "mode"}));
  const TuningSpace named = space("tune: {space: {block: all, bind.n: [run, compile]}}\n");
  EXPECT_EQ(named.points().count(), 8U);
  EXPECT_EQ(named.label(named.points().point(3)), "block=64 bind.n=compile");
}

TEST_F(TuningSpaceTest, OneBindingOfAllLeavesNoneToTheWorkload) {
  edit_workload("run: [scale]", "tune: {values: {block: [32, 64], bind.n: [run, compile]}}\nrun: [scale]");
  EXPECT_EQ(names(space("")), (std::vector<std::string>{"block", "bind.n"}));
  EXPECT_EQ(names(space("sweep: {bind.all: [run, compile]}\n")),
            (std::vector<std::string>{"bind.all", "block"}));
  EXPECT_EQ(names(space("set: {bind.all: run}\n")), std::vector<std::string>{"block"});
}

TEST_F(TuningSpaceTest, NamesAPointByWhatDiffersFromTheDefault) {
  const TuningSpace tuned = space("tune: {space: {block: [64, 256], bind.n: [compile, run]}}\n");
  EXPECT_EQ(tuned.short_label({0, 1}), "block=64 bind.n=run");
  EXPECT_EQ(tuned.short_label({1, 1}), "bind.n=run");
  EXPECT_EQ(tuned.short_label({1, 0}), "default");
  EXPECT_EQ(space("tune: {space: {block: [64], mode: [plain]}}\n").short_label({0, 0}),
            "block=64 mode=plain");
}

TEST_F(TuningSpaceTest, SaysWhatEachConstraintExcludes) {
  const TuningSpace tuned = space("set: {n: 5000}\ntune: {constraints: ['block >= 64']}\n");
  EXPECT_EQ(tuned.points().count(), 4U);
  EXPECT_EQ(tuned.summary(),
            (std::vector<std::string>{"8 points, 4 valid", "'n * block <= 1000000' alone excludes 25 %",
                                      "'block >= 64' alone excludes 25 %"}));
}

TEST_F(TuningSpaceTest, ChoicesAndComputedDefaultsDecideAsInAConfiguration) {
  edit_workload("  input: {type: path}\n",
                "  way: {type: choice, values: [left, right, middle], default: left}\n"
                "  other: {type: choice, values: [left, right], default: 'way == middle ? left : way'}\n"
                "  large: {type: bool, default: 'block // 100'}\n"
                "  parts: {type: int, default: 'large ? 4 : 2', min: 1}\n");
  edit_workload("let: {",
                "let: {twice: 'way == right ? 2 * block : block', part: 'block / 2 + (large == 1)', ");
  edit_workload("run: [scale]",
                "tune: {values: {block: [32, 64, 128, 256], way: [right, left, middle]},\n"
                "  constraints: ['other == right || twice <= 100', 'part != 129', 'parts * block != 128']}\n"
                "run: [scale]");
  const TuningSpace tuned = space("");
  std::vector<std::string> found, expected;
  for (std::uint64_t i = 0; i < tuned.points().count(); ++i)
    found.push_back(tuned.label(tuned.points().point(i)));
  for (const char* block : {"32", "64", "128", "256"}) {
    for (const char* way : {"right", "left", "middle"}) {
      const auto made =
          configure(tuned.workload(), {{"block", {block, false, {}}}, {"way", {way, false, {}}}},
                    device_->info(), disk_.files);
      if (!made.violated) expected.push_back(std::string("block=") + block + " way=" + way);
    }
  }
  EXPECT_EQ(found, expected);
  EXPECT_EQ(found, (std::vector<std::string>{"block=32 way=right", "block=32 way=left", "block=32 way=middle",
                                             "block=128 way=right"}));
}

TEST_F(TuningSpaceTest, AConstraintOfSearchesThatTheJobViolatesIsLeftOut) {
  edit_workload("run: [scale]",
                "tune: {constraints: ['mode != fancy || factor == 1', 'block >= 64']}\nrun: [scale]");
  EXPECT_EQ(space("tune: {space: {block: all}}\n").points().count(), 3U);
  EXPECT_EQ(space("set: {mode: fancy}\ntune: {space: {block: all}}\n").points().count(), 3U);
  EXPECT_EQ(space("tune: {space: {block: all, mode: all}}\n").points().count(), 3U);
}

TEST_F(TuningSpaceTest, APointOfSeveralSizesIsValidForEach) {
  const TuningSpace tuned = space("tune: {space: {block: all}, sizes: [{n: 1000}, {n: 10000}]}\n");
  EXPECT_EQ(tuned.sizes(), (std::vector<std::string>{"n=1000", "n=10000"}));
  EXPECT_EQ(tuned.points().count(), 2U);
  const Point point = tuned.points().point(1);
  EXPECT_EQ(tuned.configuration(point, 1).configuration.value("n").to_string(), "10000");
  EXPECT_EQ(tuned.configuration(point, 1).configuration.value("block").to_string(), "64");
}

TEST_F(TuningSpaceTest, FindsPointsByTheirValues) {
  const TuningSpace tuned =
      space("tune: {space: {block: [64, 256], bind.n: [compile, run], fast_math: [false, true]}}\n");
  for (std::uint64_t i = 0; i < tuned.points().count(); ++i)
    EXPECT_EQ(tuned.rank(tuned.values(tuned.points().point(i))), i);
  EXPECT_EQ(tuned.rank({"32", "run", "true"}), std::nullopt);
  const auto usual = tuned.rank_of(tuned.untuned(0).configuration);
  ASSERT_TRUE(usual);
  EXPECT_EQ(tuned.label(tuned.points().point(*usual)), "block=256 bind.n=compile fast_math=false");
  EXPECT_EQ(space("tune: {space: {block: [64]}}\n").rank_of(tuned.untuned(0).configuration), std::nullopt);
}

TEST_F(TuningSpaceTest, RefusesWithTheNearestName) {
  EXPECT_THAT(refused("tune: {space: {blok: all}}\n"),
              HasSubstr("j.yaml:2:16: tune.space.blok: workload 'scale' lists no values of that name; did "
                        "you mean 'block'"));
  EXPECT_THAT(refused("tune: {space: {blok: [1]}}\n"), HasSubstr("'block'"));
  EXPECT_THAT(refused("set: {block: 32}\ntune: {space: {block: all}}\n"),
              HasSubstr("is also in `set`; keep one"));
  EXPECT_THAT(refused("tune: {space: {block: all}, sizes: [{block: 32}]}\n"),
              HasSubstr("'block' is also tuned"));
  EXPECT_THAT(refused("set: {block: 32, mode: plain}\n"), HasSubstr("there is nothing to tune"));
  EXPECT_THAT(refused("tune: {constraints: ['blok > 1']}\n"), HasSubstr("'blok'"));
  EXPECT_THAT(refused("tune: {constraints: ['block > 1000']}\n"),
              HasSubstr("no point of the space satisfies"));
}

TEST_F(TuningSpaceTest, EqualCodeAndShapesAreOneVariant) {
  const auto workload = disk_.workload();
  const VariantIdentity identity(*workload);
  const auto of = [&](const test::SmallDisk::Settings& settings) {
    return identity.of(variant(settings), context());
  };
  EXPECT_EQ(of({}), of({{"unused", "7"}}));
  EXPECT_EQ(of({}), of({{"mode", "fancy"}}));
  EXPECT_NE(of({}), of({{"block", "64"}}));
  EXPECT_NE(of({}), of({{"bind.n", "run"}}));
  EXPECT_NE(of({{"bind.factor", "run"}}), of({{"bind.factor", "run"}, {"factor", "4"}}));
  EXPECT_NE(of({}), of({{"graph", "true"}}));
  EXPECT_TRUE(identity.used_by_host().contains("n"));
  EXPECT_FALSE(identity.used_by_host().contains("block"));
}

class ObjectiveTest : public test::TrialTest {
 protected:
  Objective objective(const std::string& text, std::size_t sizes = 1) {
    workload_ = disk_.workload();
    TuneSection tune;
    apply_objective(tune, text);
    return {tune.objective, *workload_, sizes};
  }
  static SizeResult result(double seconds, bool cut = false) {
    SizeResult result;
    result.median = seconds;
    result.least = seconds * 0.9;
    result.cut = cut;
    result.metrics = {{"bandwidth", "GB/s", 1 / seconds, true}};
    return result;
  }
  static Evaluation evaluation(std::vector<SizeResult> sizes) {
    Evaluation evaluation;
    evaluation.sizes = std::move(sizes);
    return evaluation;
  }

  std::shared_ptr<const Workload> workload_;
};

TEST_F(ObjectiveTest, TimeAndMetricsBecomeSmall) {
  EXPECT_EQ(objective("time").outcome(evaluation({result(2)})), Outcome::measured(2));
  EXPECT_NEAR(objective("bandwidth").outcome(evaluation({result(2)})).value, 2, 1e-12);
  EXPECT_EQ(objective("time").outcome(evaluation({result(2, true)})).kind, OutcomeKind::kCut);
  EXPECT_DOUBLE_EQ(objective("time").outcome(evaluation({result(2, true)})).value, 1.8);
  SizeResult wrong = result(1);
  wrong.status = RunStatus::kWrong;
  EXPECT_EQ(objective("time").outcome(evaluation({wrong})), Outcome::failed(FailureKind::kWrong));
  EXPECT_EQ(objective("bandwidth").text(0.5), "2 GB/s");
}

TEST_F(ObjectiveTest, SizesGiveTheirMeanOrTheWorstAgainstTheFirst) {
  Objective mean = objective("time", 2);
  EXPECT_DOUBLE_EQ(mean.outcome(evaluation({result(2), result(8)})).value, 4);
  Objective worst = objective("{worst: time}", 2);
  worst.learn(evaluation({result(2), result(8)}));
  EXPECT_DOUBLE_EQ(worst.outcome(evaluation({result(1), result(6)})).value, 0.75);
  EXPECT_DOUBLE_EQ(worst.slowest_within(1.1, evaluation({})), 2.2);
}

TEST_F(ObjectiveTest, ABadFirstSizeBoundsTheWhole) {
  Objective mean = objective("time", 2);
  mean.learn(evaluation({result(2), result(8)}));
  const Outcome outcome = mean.outcome(evaluation({result(10, true)}));
  EXPECT_EQ(outcome.kind, OutcomeKind::kCut);
  EXPECT_NEAR(outcome.value, std::sqrt(9.0 * 8.0), 1e-9);
  EXPECT_NEAR(mean.slowest_within(4, evaluation({})), 2, 1e-9);
  EXPECT_NEAR(mean.slowest_within(4, evaluation({result(4)})), 4, 1e-9);
  EXPECT_TRUE(std::isinf(objective("bandwidth").slowest_within(4, evaluation({}))));
}

TEST_F(ObjectiveTest, TargetsAreNumbersOrPartsOfTheRoofline) {
  const Objective time = objective("time");
  DeviceInfo device = device_->info();
  device.memory_bandwidth = 1000;
  const auto target = [&](const std::string& metric, const std::string& text) {
    return time.target({metric, {text, false, {"j.yaml", 3, 4}}}, device);
  };
  EXPECT_TRUE(target("", "2.5").reached(evaluation({result(2)})));
  EXPECT_FALSE(target("", "1.5").reached(evaluation({result(2)})));
  const MetricTarget roofline = target("", "0.9 * roofline");
  EXPECT_EQ(roofline.metric, "bandwidth");
  EXPECT_EQ(roofline.value, 900);
  EXPECT_TRUE(roofline.reached(evaluation({result(1.0 / 950)})));
  EXPECT_FALSE(roofline.reached(evaluation({result(1.0 / 950), result(1.0 / 850)})));
  EXPECT_THAT(test::bad_input_of([&] { static_cast<void>(target("bandwdth", "1")); }),
              HasSubstr("did you mean 'bandwidth'"));
  EXPECT_THAT(test::bad_input_of([&] { static_cast<void>(target("time", "roofline")); }),
              HasSubstr("which 'time' is not"));
  EXPECT_THAT(test::bad_input_of([&] { static_cast<void>(target("", "rofline")); }), HasSubstr("rofline"));
  device.memory_bandwidth = 0;
  EXPECT_THAT(test::bad_input_of([&] { static_cast<void>(target("", "roofline")); }),
              HasSubstr("is not known; give a number"));
}

TEST_F(ObjectiveTest, RefusesMetricsThatAreNotThere) {
  EXPECT_THAT(test::bad_input_of([&] { objective("energi"); }), HasSubstr("did you mean 'energy'"));
  EXPECT_THAT(test::bad_input_of([&] { objective("bandwith"); }), HasSubstr("did you mean 'bandwidth'"));
}

}  // namespace
}  // namespace kiln
