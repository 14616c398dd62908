#include "search/search_space.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <unordered_map>
#include <utility>

#include "kiln/error.h"
#include "search/space_order.h"

namespace kiln {
namespace {

constexpr std::uint64_t kMostPoints = std::uint64_t{1} << 63;

struct HashOfKey {
  std::size_t operator()(const std::vector<std::uint32_t>& key) const {
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a, with a final mix
    for (const std::uint32_t one : key) hash = (hash ^ one) * 0x100000001b3;
    return static_cast<std::size_t>(hash ^ (hash >> 29));
  }
};

using Key = std::vector<std::uint32_t>;

Error too_many_points() {
  return bad_input("the space has more than 2^63 points; expected fewer parameters or values");
}

}  // namespace

/// Makes the levels: first forward, a node for each combination of the values that are still needed, then
/// backward with counts, where nodes with equal edges become one and those without points go.
struct SearchSpace::Builder {
  struct RawEdge {
    std::uint32_t value, child;
  };
  using RawLevel = std::vector<std::vector<RawEdge>>;  // by node

  SearchSpace& space;
  const OrderPlan& plan;
  std::size_t most_nodes;
  std::size_t nodes = 0;
  std::vector<RawLevel> raw;
  Key values;  // values of a constraint that is checked

  /// False if it would take more nodes than allowed.
  bool go_forward() {
    States states{{}, 0, 1};
    for (std::size_t level = 0; level < plan.order.size(); ++level) {
      nodes += states.count;
      auto next = next_states(level, states);
      if (!next) return false;
      states = *std::move(next);
    }
    return true;
  }

  /// Combinations of the values of a frontier, one after the other.
  struct States {
    std::vector<std::uint32_t> values;
    std::size_t width = 0, count = 0;

    [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t state) const {
      return std::span(values).subspan(state * width, width);
    }
  };

  /// Those after the level, with the edges to them; absent where there are too many nodes.
  std::optional<States> next_states(std::size_t level, const States& states) {
    States next{{}, plan.frontiers[level + 1].size(), 0};
    // If every value is still needed, no two edges lead to one state.
    const bool all_differ = next.width == states.width + 1;
    const std::vector<std::size_t> kept = places_of(plan.frontiers[level + 1], level);
    const std::vector<Check> checks = checks_at(level);
    std::unordered_map<Key, std::uint32_t, HashOfKey> known;
    RawLevel& nodes_here = raw.emplace_back(states.count);
    Key row, key;  // a state with the value of this level behind it; the next state
    for (std::size_t node = 0; node < states.count; ++node) {
      row.assign(states[node].begin(), states[node].end());
      row.push_back(0);
      for (std::uint32_t& value = row.back(); value < space.parameters_[plan.order[level]].values; ++value) {
        if (!allowed(checks, row)) continue;
        gather(row, kept, key);
        auto child = static_cast<std::uint32_t>(next.count);
        const bool is_new = all_differ || known.try_emplace(key, child).second;
        if (is_new) {
          next.values.insert(next.values.end(), key.begin(), key.end());
          if (nodes + ++next.count > most_nodes) return std::nullopt;
        } else {
          child = known.find(key)->second;
        }
        nodes_here[node].push_back({value, child});
      }
    }
    return next;
  }

  /// A constraint, and where in a row the values of its scope stand.
  struct Check {
    const SpaceConstraint* constraint;
    std::vector<std::size_t> places;
  };

  [[nodiscard]] std::vector<Check> checks_at(std::size_t level) const {
    std::vector<Check> checks;
    for (const std::size_t index : plan.finished[level]) {
      const SpaceConstraint& constraint = space.constraints_[index];
      std::vector<std::size_t> levels;
      for (const std::size_t parameter : constraint.scope) levels.push_back(plan.level_of[parameter]);
      checks.push_back({&constraint, places_of(levels, level)});
    }
    return checks;
  }

  /// Places of the values of `levels` in a row at `level`: its frontier, then its own value.
  [[nodiscard]] std::vector<std::size_t> places_of(const std::vector<std::size_t>& levels,
                                                   std::size_t level) const {
    const std::vector<std::size_t>& frontier = plan.frontiers[level];
    std::vector<std::size_t> places;
    for (const std::size_t of : levels)
      places.push_back(static_cast<std::size_t>(std::lower_bound(frontier.begin(), frontier.end(), of) -
                                                frontier.begin()));
    return places;
  }

  static void gather(const Key& row, const std::vector<std::size_t>& places, Key& gathered) {
    gathered.clear();
    for (const std::size_t place : places) gathered.push_back(row[place]);
  }

  [[nodiscard]] bool allowed(const std::vector<Check>& checks, const Key& row) {
    return std::all_of(checks.begin(), checks.end(), [&](const Check& check) {
      gather(row, check.places, values);
      return check.constraint->holds(values);
    });
  }

  void go_backward() {
    space.levels_.resize(raw.size());
    // Of the level below: the node for each raw node, and the number of points under each node.
    std::vector<std::optional<std::uint32_t>> below{0};
    std::vector<std::uint64_t> points{1};
    for (std::size_t level = raw.size(); level-- > 0;) {
      Level& made = space.levels_[level];
      made.parameter = plan.order[level];
      std::unordered_map<Key, std::uint32_t, HashOfKey> known;
      std::vector<std::optional<std::uint32_t>> here;
      std::vector<std::uint64_t> points_here;
      for (const auto& edges : raw[level])
        here.push_back(add_node(made, edges, below, points, known, points_here));
      made.first_edge.push_back(static_cast<std::uint32_t>(made.edges.size()));
      raw[level] = {};
      below = std::move(here);
      points = std::move(points_here);
    }
    space.count_ = below.front() ? points[*below.front()] : 0;
    // Nothing is below the top level where no point is: its one node has no edges.
    if (space.count_ == 0 && !space.levels_.empty()) space.levels_.clear();
  }

  static std::optional<std::uint32_t> add_node(Level& level, const std::vector<RawEdge>& edges,
                                               const std::vector<std::optional<std::uint32_t>>& below,
                                               const std::vector<std::uint64_t>& points,
                                               std::unordered_map<Key, std::uint32_t, HashOfKey>& known,
                                               std::vector<std::uint64_t>& points_here) {
    Key edges_left;
    for (const RawEdge& edge : edges) {
      if (below[edge.child]) edges_left.insert(edges_left.end(), {edge.value, *below[edge.child]});
    }
    if (edges_left.empty()) return std::nullopt;
    const auto [found, is_new] = known.emplace(edges_left, static_cast<std::uint32_t>(points_here.size()));
    if (!is_new) return found->second;
    level.first_edge.push_back(static_cast<std::uint32_t>(level.edges.size()));
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < edges_left.size(); i += 2) {
      level.edges.push_back({edges_left[i], edges_left[i + 1], sum});
      if (points[edges_left[i + 1]] > kMostPoints - sum) throw too_many_points();
      sum += points[edges_left[i + 1]];
    }
    points_here.push_back(sum);
    return found->second;
  }
};

SearchSpace::SearchSpace(std::vector<SpaceParameter> parameters, std::vector<SpaceConstraint> constraints,
                         SpaceOrder order, std::size_t most_nodes)
    : parameters_(std::move(parameters)), constraints_(std::move(constraints)), naming_(parameters_.size()) {
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    for (const std::size_t parameter : constraints_[i].scope) naming_[parameter].push_back(i);
  }
  const bool impossible = std::any_of(constraints_.begin(), constraints_.end(), [](const auto& constraint) {
    return constraint.scope.empty() && !constraint.holds({});
  });
  std::vector<std::size_t> given(parameters_.size());
  std::iota(given.begin(), given.end(), std::size_t{0});
  OrderPlan plan = plan_of(parameters_, constraints_, std::move(given));
  if (order == SpaceOrder::kCheapest) {
    OrderPlan greedy = plan_of(parameters_, constraints_, greedy_order(parameters_, constraints_));
    if (greedy.cost < plan.cost) plan = std::move(greedy);
  }
  order_ = plan.order;
  if (impossible) return;
  Builder builder{*this, plan, most_nodes, 0, {}, {}};
  if (builder.go_forward()) {
    builder.go_backward();
  } else {
    list_points(order_);
  }
}

void SearchSpace::list_points(const std::vector<std::size_t>& order) {
  const OrderPlan plan = plan_of(parameters_, constraints_, order);
  const std::uint64_t most = kMostListedValues / order.size();
  Point point(parameters_.size(), 0);
  std::vector<std::uint32_t> next(order.size(), 0);  // by level: the next value to try
  for (std::size_t level = 0;;) {
    if (level == order.size()) {
      if (count_ == most) {
        throw bad_input(
            "the constraints relate so many parameters that the space has to be listed, and it "
            "has more than " +
            std::to_string(most) + " points; expected fewer values");
      }
      ++count_;
      for (const std::size_t parameter : order) listed_.push_back(point[parameter]);
      --level;
    }
    if (next[level] == parameters_[order[level]].values) {
      next[level] = 0;
      if (level-- == 0) return;
      continue;
    }
    point[order[level]] = next[level]++;
    const bool allowed = std::all_of(plan.finished[level].begin(), plan.finished[level].end(),
                                     [&](std::size_t constraint) { return holds(constraint, point); });
    if (allowed) ++level;
  }
}

double SearchSpace::raw_count() const {
  double count = 1;
  for (const SpaceParameter& parameter : parameters_) count *= parameter.values;
  return count;
}

std::size_t SearchSpace::nodes() const {
  std::size_t nodes = 0;
  for (const Level& level : levels_) nodes += level.first_edge.size() - 1;
  return nodes;
}

bool SearchSpace::holds(std::size_t constraint, const Point& point) const {
  std::vector<std::uint32_t> values;
  for (const std::size_t parameter : constraints_[constraint].scope) values.push_back(point[parameter]);
  return constraints_[constraint].holds(values);
}

bool SearchSpace::holds_around(std::size_t parameter, const Point& point) const {
  if (of_points_) return contains(point);
  return std::all_of(naming_[parameter].begin(), naming_[parameter].end(),
                     [&](std::size_t constraint) { return holds(constraint, point); });
}

}  // namespace kiln
