#include "tune/found_wisdom.h"

#include <gmock/gmock.h>

#include "tune/tuner_fixture.h"
#include "tune/wisdom_points.h"

namespace kiln {
namespace {

using testing::IsEmpty;

class FoundWisdom : public test::TunerTest {
 protected:
  std::vector<WisdomRecord> wisdom_of(const std::string& text) {
    return tune_job(text, false, [](const TuneTask& task, const TuneResult& result) {
      return found_wisdom(task, result, "2026-11-23");
    });
  }
};

TEST_F(FoundWisdom, HoldsTheFinalistsWithTheirKeyTimesAndOrigin) {
  const auto records =
      wisdom_of("set: {n: 1024}\ntune: {space: {block: all, bind.n: [compile, run]}, cut: off}\n");
  ASSERT_EQ(records.size(), 8U);
  const WisdomRecord& best = records.front();
  EXPECT_EQ(best.key.workload, "scale");
  EXPECT_EQ(best.key.objective, "time");
  EXPECT_EQ(best.key.device.name, device_->info().name);
  EXPECT_EQ(best.key.types, (NamedTexts{{"T", "double"}}));
  EXPECT_EQ(best.key.size, (NamedSizes{{"n", 1024}}));
  EXPECT_EQ(best.values, (NamedTexts{{"bind.n", "compile"}, {"block", "32"}}));
  ASSERT_EQ(best.result.time.size(), 3U);
  EXPECT_DOUBLE_EQ(best.result.time.front(), 0.032);
  EXPECT_DOUBLE_EQ(best.result.default_time.value(), 0.256);
  EXPECT_EQ(best.result.points, "8 of 8");
  EXPECT_FALSE(best.result.value);
  EXPECT_EQ(best.made.kiln, "1.0");
  EXPECT_EQ(best.made.date, "2026-11-23");
  EXPECT_EQ(best.made.journal, "/out/tune.jsonl");
  EXPECT_FALSE(best.made.source.empty());
  EXPECT_FALSE(best.made.compiler.empty());
}

TEST_F(FoundWisdom, HasARecordForEachSizeWithItsOwnTimes) {
  const auto records =
      wisdom_of("tune: {space: {block: [32, 64]}, sizes: [{n: 1000}, {n: 2000}], cut: off}\n");
  ASSERT_EQ(records.size(), 6U) << "the default at both sizes, too";
  EXPECT_EQ(records[0].key.size, (NamedSizes{{"n", 1000}}));
  EXPECT_EQ(records[1].key.size, (NamedSizes{{"n", 2000}}));
  EXPECT_EQ(records[0].values, records[1].values);
  EXPECT_DOUBLE_EQ(records[1].result.time.front(), 0.032);
}

TEST_F(FoundWisdom, KnobsThatTheJobSetsBelongToThePointAndTypesToTheKey) {
  edit_workload("rtol: 1e-12", "rtol: 1e-5");
  const auto records = wisdom_of("set: {block: 64}\ntune: {space: {T: [float], bind.n: [run]}, cut: off}\n");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[1].key.types, (NamedTexts{{"T", "float"}}));
  EXPECT_EQ(records[1].values, (NamedTexts{{"bind.n", "run"}, {"block", "64"}}));
  EXPECT_EQ(records[0].key.types, (NamedTexts{{"T", "double"}})) << "the default";
  EXPECT_EQ(records[0].values, (NamedTexts{{"bind.n", "compile"}, {"block", "64"}}));
}

TEST_F(FoundWisdom, AnotherObjectiveHasItsValue) {
  const auto records = wisdom_of("tune: {space: {block: [32]}, objective: bandwidth}\n");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].key.objective, "bandwidth");
  EXPECT_DOUBLE_EQ(records[0].result.value.value(), 0.032e9);  // the inverse of 1e-9 / 32 ms
  EXPECT_DOUBLE_EQ(records[0].result.time.front(), 0.032);
}

TEST_F(FoundWisdom, ADefaultThatIsNoPointIsKnownByItsOwnValues) {
  const auto records = wisdom_of("set: {n: 1024}\ntune: {space: {block: [32, 64]}, cut: off}\n");
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[2].values, (NamedTexts{{"block", "256"}}));
  EXPECT_EQ(records[2].result.time.front(), records[2].result.default_time.value());
  const auto mixed = wisdom_of("set: {n: 1024}\ntune: {space: {bind.all: [compile, run]}, cut: off}\n");
  for (const WisdomRecord& record : mixed) EXPECT_THAT(record.values, testing::SizeIs(1));
}

TEST_F(FoundWisdom, FastMathIsNobodysAdvice) {
  const auto records = wisdom_of("tune: {space: {block: all, fast_math: [true]}}\n");
  ASSERT_EQ(records.size(), 1U) << "the default, which is without";
  EXPECT_EQ(records[0].values, (NamedTexts{{"block", "256"}}));
  for (const WisdomRecord& record :
       wisdom_of("tune: {space: {block: all, fast_math: [false, true]}, cut: off}\n"))
    EXPECT_EQ(record.values.size(), 1U);
}

TEST_F(FoundWisdom, GivesThePointsToBeginWith) {
  const WisdomBook book(
      wisdom_of("set: {n: 1024}\ntune: {space: {block: all, bind.n: [compile, run]}, cut: off}\n"));
  const auto points = [&](const std::string& text) {
    const JobSpec job = parse_job("workload: scale\n" + text, "j.yaml");
    const TuningSpace space(job, disk_.workload(), device_->info(), disk_.files);
    std::vector<std::string> labels;
    for (const std::uint64_t rank : wisdom_points(job, space, device_->info(), book, disk_.files))
      labels.push_back(space.label(space.points().point(rank)));
    return labels;
  };
  EXPECT_EQ(points("set: {n: 2000}\ntune: {space: {bind.n: [run, compile], block: [64, 32]}}\n").front(),
            "bind.n=compile block=32");
  EXPECT_EQ(points("tune: {space: {block: [32, 64]}}\n"), (std::vector<std::string>{"block=32", "block=64"}));
  EXPECT_THAT(points("tune: {space: {block: [256]}}\n"), IsEmpty());
  EXPECT_THAT(points("tune: {space: {block: [32]}, objective: bandwidth}\n"), IsEmpty());
}

TEST_F(FoundWisdom, ThereIsNoneOfTwoObjectivesOfFilesAndOfNothing) {
  EXPECT_THAT(wisdom_of("tune: {space: {block: all}, objective: {pareto: [time, bandwidth]}}\n"), IsEmpty());
  disk_.files.write_file("/kernels/input", "", false);
  EXPECT_THAT(wisdom_of("tune: {space: {input: [/kernels/input], block: all}}\n"), IsEmpty());
  runner_.status_of = [](const Variant&, const TrialRequest&) { return RunStatus::kWrong; };
  EXPECT_THAT(wisdom_of("tune: {space: {block: all}}\n"), IsEmpty());
}

}  // namespace
}  // namespace kiln
