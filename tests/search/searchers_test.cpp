#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "search/searcher.h"
#include "support/error_matchers.h"

namespace kiln {
namespace {

using test::bad_input_of;
using testing::HasSubstr;

/// 4 parameters, 8 * 8 * 4 * 3 = 768 points, of which the product constraint leaves 2/3 or so.
SearchSpace small_space() {
  return SearchSpace({{"x", 8}, {"y", 8}, {"z", 4}, {"kind", 3}},
                     {{"x * y <= 30", {0, 1}, [](auto values) { return values[0] * values[1] <= 30; }}});
}

/// A valley with a step; points of one corner fail. The least value, 1, is at {5, 2, 3, 1}.
Outcome outcome_at(const Point& point) {
  if (point[0] >= 6 && point[2] == 0) return Outcome::failed(FailureKind::kCompile);
  const double x = point[0] - 5.0, y = point[1] - 2.0, z = point[2] - 3.0;
  return Outcome::measured(1 + 0.1 * x * x + 0.05 * y * y + 0.2 * std::abs(z) + (point[3] == 1 ? 0 : 0.7));
}

std::vector<std::uint64_t> run(const SearchSpace& space, const std::string& name, std::uint64_t seed,
                               std::size_t evaluations, std::size_t batch, double* best = nullptr) {
  const auto searcher = make_searcher(name, space, {seed, evaluations});
  std::vector<std::uint64_t> asked;
  while (asked.size() < evaluations) {
    const auto ranks = searcher->ask(std::min(batch, evaluations - asked.size()));
    if (ranks.empty()) break;
    for (const std::uint64_t rank : ranks) searcher->tell(rank, outcome_at(space.point(rank)));
    asked.insert(asked.end(), ranks.begin(), ranks.end());
  }
  if (best != nullptr) *best = searcher->history().best()->outcome.value;
  return asked;
}

class Searchers : public testing::TestWithParam<std::string> {};

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const SearcherKind& kind : searcher_kinds()) names.emplace_back(kind.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, Searchers, testing::ValuesIn(all_names()),
                         [](const auto& one) { return one.param; });

TEST_P(Searchers, AskForNoPointTwice) {
  const SearchSpace space = small_space();
  for (const std::size_t batch : {std::size_t{1}, std::size_t{7}}) {
    const auto asked = run(space, GetParam(), 3, 120, batch);
    EXPECT_EQ(asked.size(), 120U);
    EXPECT_EQ(std::set(asked.begin(), asked.end()).size(), asked.size());
  }
}

TEST_P(Searchers, AskTheSameAfterTheSameTells) {
  const SearchSpace space = small_space();
  EXPECT_EQ(run(space, GetParam(), 5, 80, 4), run(space, GetParam(), 5, 80, 4));
  if (GetParam() != "exhaustive") {
    EXPECT_NE(run(space, GetParam(), 5, 80, 4), run(space, GetParam(), 6, 80, 4));
  }
}

TEST_P(Searchers, GoThroughAWholeSpace) {
  const SearchSpace space({{"a", 4}, {"b", 3}, {"fixed", 1}, {"c", 4}}, {});
  const auto searcher = make_searcher(GetParam(), space, {1, 48});
  std::set<std::uint64_t> seen;
  for (;;) {
    const auto ranks = searcher->ask(5);
    if (ranks.empty()) break;
    for (const std::uint64_t rank : ranks) {
      seen.insert(rank);
      searcher->tell(rank, Outcome::measured(1.0 + static_cast<double>(rank)));
    }
  }
  EXPECT_EQ(seen.size(), space.count());
  EXPECT_EQ(searcher->history().best()->rank, 0U);
}

TEST_P(Searchers, TakeOutcomesInAnyOrderAndPointsThatWereNotAskedFor) {
  const SearchSpace space = small_space();
  const auto searcher = make_searcher(GetParam(), space, {2, 100});
  for (std::uint64_t rank = 0; rank < 12; ++rank)
    searcher->tell(rank * 31, outcome_at(space.point(rank * 31)));
  std::vector<std::uint64_t> outstanding;
  std::set<std::uint64_t> seen;
  for (int round = 0; round < 40; ++round) {
    for (const std::uint64_t rank : searcher->ask(3)) {
      EXPECT_TRUE(seen.insert(rank).second);
      outstanding.push_back(rank);
    }
    ASSERT_FALSE(outstanding.empty());
    while (outstanding.size() > 6) {  // the latest comes first
      searcher->tell(outstanding.back(), outcome_at(space.point(outstanding.back())));
      outstanding.pop_back();
    }
    if (round % 5 == 4) {
      for (const std::uint64_t rank : outstanding)
        searcher->tell(rank, Outcome::failed(FailureKind::kTimeout));
      outstanding.clear();
    }
  }
  EXPECT_GT(seen.size(), 30U);
}

TEST_P(Searchers, GoOnWhereEveryPointFails) {
  const SearchSpace space = small_space();
  const auto searcher = make_searcher(GetParam(), space, {1, 60});
  std::size_t asked = 0;
  while (asked < 60) {
    const auto ranks = searcher->ask(3);
    ASSERT_FALSE(ranks.empty());
    asked += ranks.size();
    for (const std::uint64_t rank : ranks) searcher->tell(rank, Outcome::failed(FailureKind::kUnfit));
  }
  EXPECT_EQ(searcher->history().best(), nullptr);
}

TEST_P(Searchers, HaveSpacesOfOnePointAndOfNone) {
  const SearchSpace one({{"a", 1}}, {});
  const auto searcher = make_searcher(GetParam(), one, {});
  EXPECT_EQ(searcher->ask(4), std::vector<std::uint64_t>{0});
  EXPECT_TRUE(searcher->ask(4).empty());
  const SearchSpace none({{"a", 2}}, {{"never", {0}, [](auto) { return false; }}});
  EXPECT_TRUE(make_searcher(GetParam(), none, {})->ask(4).empty());
}

/// Mean of 10 seeds after 80 of 600 points; the function is smooth, so that each method has to gain by it.
double mean_best(const std::string& name, std::size_t batch) {
  const SearchSpace space = small_space();
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    double best = 0;
    (void)run(space, name, seed, 80, batch, &best);
    sum += best;
  }
  return sum / 10;
}

TEST(Searchers, FindMoreThanUniformSamplesDo) {
  const double random = mean_best("random", 1);
  for (const std::string name : {"default", "wolf_pack", "genetic", "particle_swarm",
                                 "differential_evolution", "annealing", "local_search", "portfolio"})
    EXPECT_LT(mean_best(name, 1), random) << name;
}

TEST(Searchers, TheDefaultFindsTheOptimumInBatchesToo) {
  EXPECT_LT(mean_best("default", 1), 1.01);
  EXPECT_LT(mean_best("default", 8), 1.02);
}

TEST(Searchers, TheDefaultTakesCutValuesForBounds) {
  const SearchSpace space = small_space();
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto searcher = make_searcher("default", space, {seed, 80});
    for (int i = 0; i < 80; ++i) {
      const std::uint64_t rank = searcher->ask(1).front();
      const Outcome outcome = outcome_at(space.point(rank));
      const Trialled* best = searcher->history().best();
      const bool cut = best != nullptr && outcome.cost() > 1.1 * best->outcome.value;
      searcher->tell(rank, cut && outcome.kind == OutcomeKind::kValue
                               ? Outcome::cut(1.1 * best->outcome.value)
                               : outcome);
    }
    sum += searcher->history().best()->outcome.value;
  }
  EXPECT_LT(sum / 10, 1.05);
}

TEST(Searchers, AWrongNameGetsTheNearest) {
  EXPECT_THAT(bad_input_of([] { (void)searcher_kind("genetics"); }), HasSubstr("did you mean 'genetic'?"));
}

}  // namespace
}  // namespace kiln
