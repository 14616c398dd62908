#include "search/gaussian_process.h"

#include <gmock/gmock.h>

#include <cmath>

namespace kiln {
namespace {

const std::vector<SpaceParameter> kParameters = {{"x", 16}, {"kind", 3}, {"fixed", 1}};

std::vector<Point> some_points() {
  std::vector<Point> points;
  for (std::uint32_t x = 0; x < 16; x += 3) {
    for (std::uint32_t kind = 0; kind < 3; ++kind) points.push_back({x, kind, 0});
  }
  return points;
}

double value_at(const Point& point) {
  return 10 + std::sin(point[0] / 4.0) + (point[1] == 2 ? 3 : 0);
}

GaussianProcess fitted() {
  GaussianProcess process(kParameters);
  std::vector<double> values;
  for (const Point& point : some_points()) values.push_back(value_at(point));
  std::mt19937_64 random(1);
  process.fit(some_points(), values, 20, random);
  return process;
}

TEST(GaussianProcess, PredictsWhatItKnowsAndWhatLiesBetween) {
  const auto known = fitted().predict(some_points());
  for (std::size_t i = 0; i < known.points.size(); ++i)
    EXPECT_NEAR(known.means[i], value_at(known.points[i]), 0.1);
  const auto between = fitted().predict({{4, 0, 0}, {10, 2, 0}});
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(between.means[i], value_at(between.points[i]), 0.3);
    EXPECT_GT(between.variances[i], known.variances[0]);
  }
}

TEST(GaussianProcess, ABelievedPointNarrowsItsNeighboursMost) {
  GaussianProcess process(kParameters);
  std::mt19937_64 random(1);
  process.fit({{0, 0, 0}, {0, 1, 0}, {1, 0, 0}}, {1, 2, 1.5}, 0, random);
  auto predictions = process.predict({{9, 2, 0}, {10, 2, 0}, {15, 1, 0}});
  const std::vector<double> before = predictions.variances;
  const std::vector<double> means = predictions.means;
  process.believe(predictions, 0);
  EXPECT_LT(predictions.variances[0], 0.1 * before[0]);
  EXPECT_LT(predictions.variances[1] / before[1], predictions.variances[2] / before[2]);
  EXPECT_EQ(predictions.means, means);
}

TEST(GaussianProcess, EqualValuesAndRepeatedPointsAreNoTrouble) {
  GaussianProcess process(kParameters);
  std::mt19937_64 random(1);
  process.fit({{0, 0, 0}, {0, 0, 0}, {5, 1, 0}}, {2, 2, 2}, 5, random);
  EXPECT_NEAR(process.predict({{3, 0, 0}}).means.front(), 2, 1e-6);
}

}  // namespace
}  // namespace kiln
