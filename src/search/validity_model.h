#pragma once

#include <vector>

#include "search/history.h"

namespace kiln {

/// The probability that a point can be measured: the mean over the known points, weighted by their nearness
/// (Nadaraya, Theory of Probability 9, 1964), with their overall rate as a prior.
class ValidityModel {
 public:
  explicit ValidityModel(const History& history);

  [[nodiscard]] double probability(const Point& point) const;

 private:
  const History& history_;
  double rate_ = 1;
};

}  // namespace kiln
