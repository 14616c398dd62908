#include "tune/compare.h"

#include <gmock/gmock.h>

#include "tune/made_space.h"

namespace kiln {
namespace {

using test::made_space;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Compare, GivesOneResultForEachSpaceAndSearcherWhateverTheThreads) {
  std::vector<RecordedSpace> spaces;
  for (int i = 0; i < 2; ++i) spaces.push_back(made_space());
  CompareOptions options{{"default", "random"}, 6, {60, 1}, 1};
  const auto one = compare_searchers(spaces, options);
  options.threads = 3;
  const auto three = compare_searchers(spaces, options);
  ASSERT_EQ(one.size(), 4U);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].searcher, options.searchers[i % 2]);
    EXPECT_EQ(one[i].fraction, three[i].fraction);
    EXPECT_EQ(one[i].score.time, three[i].score.time);
  }
  EXPECT_GT(one[0].fraction_after(50), one[1].fraction_after(50));
  EXPECT_GT(one[0].score.exact, 0.5);
  EXPECT_EQ(one[0].fraction_after(1000), one[0].fraction.back());
  const auto means = means_over_spaces(one);
  ASSERT_EQ(means.size(), 2U);
  EXPECT_DOUBLE_EQ(means[0].fraction_after(20), one[0].fraction_after(20));  // the spaces are equal
  EXPECT_DOUBLE_EQ(means[1].score.exact, one[1].score.exact);
}

/// Only the optimum itself is within 2 % of it.
TEST(Compare, SaysWhenSearchesCameNearTheOptimum) {
  std::vector<RecordedSpace> spaces;
  spaces.push_back(made_space());
  const RecordedSpace& space = spaces.front();
  const std::uint64_t place = *space.space.rank(Point{8, 3, 2});
  double before = 0, all = 0;
  for (std::uint64_t rank = 0; rank < space.points.size(); ++rank) {
    all += space.points[rank].seconds;
    if (rank <= place) before += space.points[rank].seconds;
  }
  const auto whole = compare_searchers(spaces, {{"exhaustive"}, 3, {576, 1}, 1});
  EXPECT_EQ(whole[0].near.evaluations, static_cast<double>(place + 1));
  EXPECT_NEAR(whole[0].near.time, before / all, 1e-12);
  const auto part = compare_searchers(spaces, {{"exhaustive"}, 3, {place, 1}, 1});
  EXPECT_TRUE(std::isinf(part[0].near.evaluations));
  EXPECT_THAT(scores_to_csv(part), HasSubstr("near_evaluations,near_time,seconds_per_run"));
}

TEST(Compare, WritesCsv) {
  std::vector<RecordedSpace> spaces;
  spaces.push_back(made_space());
  const auto results = compare_searchers(spaces, {{"exhaustive"}, 1, {3, 1}, 1});
  EXPECT_THAT(scores_to_csv(results), StartsWith("space,searcher,fraction_20,"));
  EXPECT_THAT(scores_to_csv(results), HasSubstr("\r\nmade,exhaustive,"));
  EXPECT_THAT(curves_to_csv(results), HasSubstr("\r\nmade,exhaustive,3,"));
}

TEST(Replay, EndsWithTheSpace) {
  const RecordedSpace space = made_space();
  const SearchTrace trace = replay(space, "random", 1, {10000, 64});
  EXPECT_EQ(trace.best.size(), 576U);
  EXPECT_EQ(trace.best.back(), 1);
}

}  // namespace
}  // namespace kiln
