#pragma once

#include <cstddef>
#include <vector>

#include "search/search_space.h"

namespace kiln {

/// The consequences of an order of the parameters for the constraints.
struct OrderPlan {
  std::vector<std::size_t> order;                   // parameters by level
  std::vector<std::size_t> level_of;                // by parameter
  std::vector<std::vector<std::size_t>> finished;   // by level: constraints whose last parameter it sets
  std::vector<std::vector<std::size_t>> frontiers;  // by level: levels before it that later constraints need
  double cost = 0;                                  // edges at most
};

[[nodiscard]] OrderPlan plan_of(const std::vector<SpaceParameter>& parameters,
                                const std::vector<SpaceConstraint>& constraints,
                                std::vector<std::size_t> order);

/// One parameter after the other: the one that leaves the fewest combinations of values for unfinished
/// constraints, then the one that finishes the most, then the first.
[[nodiscard]] std::vector<std::size_t> greedy_order(const std::vector<SpaceParameter>& parameters,
                                                    const std::vector<SpaceConstraint>& constraints);

}  // namespace kiln
