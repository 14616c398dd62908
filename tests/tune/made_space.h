#pragma once

#include <cmath>

#include "tune/recorded_space.h"

namespace kiln::test {

/// 12 * 8 * 6 = 576 points with one valley; one in twelve fails. The optimum, 1, is at {8, 3, 2}.
inline RecordedSpace made_space() {
  std::vector<RecordedParameter> parameters;
  std::vector<SpaceParameter> sizes = {{"x", 12}, {"y", 8}, {"z", 6}};
  for (const SpaceParameter& size : sizes) parameters.push_back({size.name, {}});
  RecordedSpace recorded{"made", std::move(parameters), SearchSpace(sizes, {}), {}};
  for (std::uint64_t rank = 0; rank < recorded.space.count(); ++rank) {
    const Point point = recorded.space.point(rank);
    const double x = point[0] - 8.0, y = point[1] - 3.0, z = point[2] - 2.0;
    const double value = 1 + 0.05 * x * x + 0.1 * std::abs(y) * (1 + 0.3 * z * z) + 0.2 * z * z;
    const bool fails = point[0] == 11;
    recorded.points.push_back(
        {fails ? Outcome::failed(FailureKind::kUnfit) : Outcome::measured(value), 0.5 + value});
  }
  return recorded;
}

}  // namespace kiln::test
