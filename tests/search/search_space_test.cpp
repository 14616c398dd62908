#include "search/search_space.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "support/error_matchers.h"

namespace kiln {
namespace {

using test::bad_input_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;
using testing::UnorderedElementsAreArray;

struct Spec {
  std::vector<SpaceParameter> parameters;
  std::vector<SpaceConstraint> constraints;
};

SpaceConstraint product_at_most(std::vector<std::size_t> scope, std::uint32_t most) {
  return {"product <= " + std::to_string(most), std::move(scope),
          [most](std::span<const std::uint32_t> values) {
            std::uint32_t product = 1;
            for (const std::uint32_t value : values) product *= value + 1;
            return product <= most;
          }};
}

/// Up to six parameters and four constraints of any form.
Spec random_spec(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t end) { return static_cast<std::uint32_t>(random() % end); };
  Spec spec;
  const std::uint32_t count = 1 + below(6);
  for (std::uint32_t i = 0; i < count; ++i)
    spec.parameters.push_back({"p" + std::to_string(i), 1 + below(4)});
  for (std::uint32_t i = below(5); i > 0; --i) {
    std::set<std::size_t> scope;
    for (std::uint32_t j = below(4); j > 0; --j) scope.insert(below(count));
    const std::uint64_t salt = random();
    spec.constraints.push_back(
        {"random", {scope.begin(), scope.end()}, [salt](std::span<const std::uint32_t> values) {
           std::uint64_t hash = salt;
           for (const std::uint32_t value : values) hash = (hash ^ value) * 0x9e3779b97f4a7c15;
           return hash >> 62 != 0;
         }});
  }
  return spec;
}

/// In the order of the parameters as given.
std::vector<Point> by_brute_force(const Spec& spec) {
  std::vector<Point> found;
  Point point(spec.parameters.size(), 0);
  for (;;) {
    const bool in =
        std::all_of(spec.constraints.begin(), spec.constraints.end(), [&](const SpaceConstraint& one) {
          std::vector<std::uint32_t> values;
          for (const std::size_t parameter : one.scope) values.push_back(point[parameter]);
          return one.holds(values);
        });
    if (in) found.push_back(point);
    std::size_t place = point.size();
    while (place > 0 && ++point[place - 1] == spec.parameters[place - 1].values) point[--place] = 0;
    if (place == 0) return found;
  }
}

std::vector<Point> all_of(const SearchSpace& space) {
  std::vector<Point> points;
  for (std::uint64_t i = 0; i < space.count(); ++i) points.push_back(space.point(i));
  return points;
}

std::size_t difference(const Point& a, const Point& b) {
  std::size_t differ = 0;
  for (std::size_t i = 0; i < a.size(); ++i) differ += a[i] != b[i] ? 1U : 0U;
  return differ;
}

TEST(SearchSpace, HasThePointsOfABruteForceSearch) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    const Spec spec = random_spec(random);
    const std::vector<Point> expected = by_brute_force(spec);
    const SearchSpace given(spec.parameters, spec.constraints, SpaceOrder::kGiven);
    EXPECT_EQ(all_of(given), expected);
    const SearchSpace cheapest(spec.parameters, spec.constraints);
    EXPECT_THAT(all_of(cheapest), UnorderedElementsAreArray(expected));
    const SearchSpace listed(spec.parameters, spec.constraints, SpaceOrder::kGiven, 1);
    EXPECT_EQ(all_of(listed), expected);
    for (const SearchSpace* space : {&given, &cheapest, &listed}) {
      for (std::uint64_t i = 0; i < space->count(); ++i) EXPECT_EQ(space->rank(space->point(i)), i);
      for (const Point& point : by_brute_force({spec.parameters, {}}))
        EXPECT_EQ(space->contains(point),
                  std::find(expected.begin(), expected.end(), point) != expected.end());
    }
  }
}

TEST(SearchSpace, NeighboursDifferInOneParameterAndAreAllThere) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 100; ++round) {
    const Spec spec = random_spec(random);
    const SearchSpace space(spec.parameters, spec.constraints);
    if (space.count() == 0) continue;
    const Point point = space.point(random() % space.count());
    std::vector<Point> expected;
    for (const Point& other : by_brute_force(spec)) {
      if (difference(point, other) == 1) expected.push_back(other);
    }
    EXPECT_THAT(space.neighbours(point, Neighbourhood::kHamming), UnorderedElementsAreArray(expected));
    for (const Point& other : space.neighbours(point, Neighbourhood::kAdjacent))
      EXPECT_THAT(expected, testing::Contains(other));
  }
}

TEST(SearchSpace, AnAdjacentValueIsTheNextOneThatIsAllowed) {
  // Even values only: from 4 the next are 2 and 6.
  const SpaceConstraint even{"even", {0}, [](auto values) { return values[0] % 2 == 0; }};
  const SearchSpace space({{"a", 9}}, {even});
  EXPECT_THAT(space.neighbours({4}, Neighbourhood::kAdjacent), UnorderedElementsAre(Point{2}, Point{6}));
  EXPECT_THAT(space.neighbours({8}, Neighbourhood::kAdjacent), UnorderedElementsAre(Point{6}));
}

TEST(SearchSpace, RepairChangesAsLittleAsItCan) {
  const SearchSpace space({{"a", 8}, {"b", 8}, {"free", 4}}, {product_at_most({0, 1}, 8)});
  EXPECT_EQ(space.repair({1, 3, 2}), (Point{1, 3, 2}));
  const auto near = space.repair({7, 1, 3});
  ASSERT_TRUE(near.has_value());
  EXPECT_TRUE(space.contains(*near));
  EXPECT_EQ(difference(*near, {7, 1, 3}), 1U);
  EXPECT_EQ(near->at(2), 3U);
  // One change is not enough where both must be the first value.
  const SpaceConstraint both{"both first", {0, 1}, [](auto values) { return values[0] + values[1] == 0; }};
  EXPECT_EQ(SearchSpace({{"a", 3}, {"b", 3}}, {both}).repair({2, 1}), (Point{0, 0}));
  const SpaceConstraint never{"never", {0}, [](auto) { return false; }};
  EXPECT_EQ(SearchSpace({{"a", 3}}, {never}).repair({2}), std::nullopt);
}

TEST(SearchSpace, CanBeGivenByItsPoints) {
  const std::vector<Point> points = {{2, 0, 1}, {0, 1, 0}, {2, 1, 1}, {0, 1, 0}, {1, 1, 1}};
  const SearchSpace space = SearchSpace::of_points({{"a", 3}, {"b", 2}, {"c", 2}}, points);
  EXPECT_THAT(all_of(space), ElementsAre(Point{0, 1, 0}, Point{1, 1, 1}, Point{2, 0, 1}, Point{2, 1, 1}));
  EXPECT_EQ(space.rank({2, 0, 1}), 2U);
  EXPECT_FALSE(space.contains({0, 0, 0}));
  EXPECT_THAT(space.neighbours({2, 1, 1}, Neighbourhood::kHamming),
              UnorderedElementsAre(Point{1, 1, 1}, Point{2, 0, 1}));
  EXPECT_EQ(space.repair({0, 1, 1}), (Point{1, 1, 1}));
}

TEST(SearchSpace, SamplesAreDistinctAndUniform) {
  const SearchSpace space({{"a", 4}, {"b", 4}}, {product_at_most({0, 1}, 4)});
  ASSERT_EQ(space.count(), 8U);
  std::mt19937_64 random(3);
  std::map<std::uint64_t, int> hits;
  constexpr int kRounds = 4000;
  for (int round = 0; round < kRounds; ++round) {
    const auto ranks = space.sample(2, random);
    ASSERT_EQ(ranks.size(), 2U);
    EXPECT_NE(ranks[0], ranks[1]);
    ++hits[ranks[0]];
  }
  // Each of 8 with probability 1/8: 500 hits, standard deviation 21.
  for (std::uint64_t rank = 0; rank < space.count(); ++rank) EXPECT_NEAR(hits[rank], 500, 120);
  EXPECT_THAT(space.sample(100, random), UnorderedElementsAreArray({0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(SearchSpace, ALargeSpaceIsCountedWithoutItsPoints) {
  // 16 parameters of 10 values, related in pairs: (pairs of product <= 10: 27)^8.
  std::vector<SpaceParameter> parameters(16, {"p", 10});
  std::vector<SpaceConstraint> constraints;
  for (std::size_t i = 0; i < 16; i += 2) constraints.push_back(product_at_most({i, i + 1}, 10));
  const SearchSpace space(parameters, constraints);
  EXPECT_EQ(space.count(), 282429536481U);
  EXPECT_EQ(space.raw_count(), 1e16);
  EXPECT_LE(space.nodes(), 96U);
  const Point last = space.point(space.count() - 1);
  EXPECT_EQ(space.rank(last), space.count() - 1);
}

TEST(SearchSpace, AGreedyOrderKeepsRelatedParametersTogether) {
  // p0 with p8, p1 with p9, ...: as given, 10^8 combinations are open after p7.
  std::vector<SpaceParameter> parameters(16, {"p", 10});
  std::vector<SpaceConstraint> constraints;
  for (std::size_t i = 0; i < 8; ++i) constraints.push_back(product_at_most({i, i + 8}, 10));
  EXPECT_EQ(SearchSpace(parameters, constraints).count(), 282429536481U);
}

TEST(SearchSpace, WhatCannotBeCountedOrListedIsRefused) {
  EXPECT_THAT(bad_input_of([] {
                SearchSpace(std::vector<SpaceParameter>(20, {"p", 10}), {});
              }),
              HasSubstr("more than 2^63 points"));
  std::vector<SpaceParameter> many(24, {"p", 2});
  EXPECT_THAT(bad_input_of([&] { SearchSpace(many, {}, SpaceOrder::kGiven, 3); }),
              HasSubstr("more than 2796202 points"));
}

TEST(SearchSpace, SaysWhatAConstraintAloneExcludes) {
  const SearchSpace space({{"a", 4}, {"b", 4}, {"c", 9}},
                          {product_at_most({0, 1}, 4), product_at_most({2}, 6)});
  EXPECT_EQ(space.excluded_by(0), 0.5);
  EXPECT_NEAR(space.excluded_by(1).value(), 1.0 / 3, 1e-12);
}

TEST(SearchSpace, AConstraintWithoutParametersHoldsForAllPointsOrNone) {
  for (const bool truth : {true, false}) {
    const SearchSpace space({{"a", 3}}, {{"constant", {}, [truth](auto) { return truth; }}});
    EXPECT_EQ(space.count(), truth ? 3U : 0U);
    EXPECT_EQ(space.contains({1}), truth);
  }
  EXPECT_EQ(SearchSpace({}, {}).count(), 1U);
  EXPECT_EQ(SearchSpace({}, {}).point(0), Point{});
}

}  // namespace
}  // namespace kiln
