#include "search/space_order.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

namespace kiln {

OrderPlan plan_of(const std::vector<SpaceParameter>& parameters,
                  const std::vector<SpaceConstraint>& constraints, std::vector<std::size_t> order) {
  OrderPlan plan;
  const std::size_t levels = order.size();
  std::vector<std::size_t>& level_of = plan.level_of;
  level_of.resize(levels);
  for (std::size_t level = 0; level < levels; ++level) level_of[order[level]] = level;
  std::vector<std::size_t> needed_until(levels, 0);
  plan.finished.resize(levels);
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    std::size_t last = 0;
    for (const std::size_t parameter : constraints[i].scope) last = std::max(last, level_of[parameter]);
    if (!constraints[i].scope.empty()) plan.finished[last].push_back(i);
    for (const std::size_t parameter : constraints[i].scope)
      needed_until[level_of[parameter]] = std::max(needed_until[level_of[parameter]], last);
  }
  plan.frontiers.resize(levels + 1);
  for (std::size_t level = 0; level < levels; ++level) {
    double states = 1;
    for (std::size_t earlier = 0; earlier < level; ++earlier) {
      if (needed_until[earlier] < level) continue;
      plan.frontiers[level].push_back(earlier);
      states *= parameters[order[earlier]].values;
    }
    plan.cost += states * parameters[order[level]].values;
  }
  plan.order = std::move(order);
  return plan;
}

std::vector<std::size_t> greedy_order(const std::vector<SpaceParameter>& parameters,
                                      const std::vector<SpaceConstraint>& constraints) {
  std::vector<std::size_t> order;
  std::vector<bool> is_set(parameters.size(), false);
  const auto open_after = [&](std::size_t next) {
    is_set[next] = true;
    std::set<std::size_t> open;
    std::ptrdiff_t finished = 0;
    for (const SpaceConstraint& constraint : constraints) {
      const bool ends = std::all_of(constraint.scope.begin(), constraint.scope.end(),
                                    [&](std::size_t parameter) { return is_set[parameter]; });
      if (ends) {
        ++finished;
        continue;
      }
      for (const std::size_t parameter : constraint.scope) {
        if (is_set[parameter]) open.insert(parameter);
      }
    }
    is_set[next] = false;
    double log_states = 0;
    for (const std::size_t parameter : open) log_states += std::log(parameters[parameter].values);
    return std::pair(log_states, -finished);
  };
  while (order.size() < parameters.size()) {
    std::optional<std::pair<double, std::ptrdiff_t>> best;
    std::size_t chosen = 0;
    for (std::size_t parameter = 0; parameter < parameters.size(); ++parameter) {
      if (is_set[parameter]) continue;
      const auto score = open_after(parameter);
      if (best && *best <= score) continue;
      best = score;
      chosen = parameter;
    }
    is_set[chosen] = true;
    order.push_back(chosen);
  }
  return order;
}

}  // namespace kiln
