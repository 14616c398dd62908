#include "search/search_space.h"

#include <algorithm>
#include <map>
#include <numeric>
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

  /// False if it would take more nodes than allowed.
  bool go_forward() {
    std::vector<Key> states{Key{}};
    for (std::size_t level = 0; level < plan.order.size(); ++level) {
      std::unordered_map<Key, std::uint32_t, HashOfKey> next;
      std::vector<Key> next_states;
      RawLevel& nodes_here = raw.emplace_back(states.size());
      nodes += states.size();
      for (std::size_t node = 0; node < states.size(); ++node) {
        for (std::uint32_t value = 0; value < space.parameters_[plan.order[level]].values; ++value) {
          if (!allowed(level, states[node], value)) continue;
          const auto [found, is_new] = next.emplace(key_after(level, states[node], value),
                                                    static_cast<std::uint32_t>(next_states.size()));
          if (is_new) next_states.push_back(found->first);
          if (nodes + next_states.size() > most_nodes) return false;
          nodes_here[node].push_back({value, found->second});
        }
      }
      states = std::move(next_states);
    }
    return true;
  }

  /// Of the level `of`, where `frontier` has the values at `level`.
  [[nodiscard]] std::uint32_t value_at(std::size_t of, std::size_t level, const Key& frontier,
                                       std::uint32_t value) const {
    if (of == level) return value;
    const auto& levels = plan.frontiers[level];
    return frontier[static_cast<std::size_t>(std::lower_bound(levels.begin(), levels.end(), of) -
                                             levels.begin())];
  }

  [[nodiscard]] bool allowed(std::size_t level, const Key& frontier, std::uint32_t value) const {
    return std::all_of(plan.finished[level].begin(), plan.finished[level].end(), [&](std::size_t index) {
      const SpaceConstraint& constraint = space.constraints_[index];
      Key values;
      for (const std::size_t parameter : constraint.scope)
        values.push_back(value_at(plan.level_of[parameter], level, frontier, value));
      return constraint.holds(values);
    });
  }

  [[nodiscard]] Key key_after(std::size_t level, const Key& frontier, std::uint32_t value) const {
    Key key;
    for (const std::size_t of : plan.frontiers[level + 1])
      key.push_back(value_at(of, level, frontier, value));
    return key;
  }

  void go_backward() {
    space.levels_.resize(raw.size());
    // Of the level below: the node that a raw node has become, and the points under each node.
    std::vector<std::optional<std::uint32_t>> below{0};
    std::vector<std::uint64_t> points{1};
    for (std::size_t level = raw.size(); level-- > 0;) {
      Level& made = space.levels_[level];
      made.parameter = plan.order[level];
      std::map<Key, std::uint32_t> known;
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
                                               std::map<Key, std::uint32_t>& known,
                                               std::vector<std::uint64_t>& points_here) {
    Key key;
    for (const RawEdge& edge : edges) {
      if (below[edge.child]) key.insert(key.end(), {edge.value, *below[edge.child]});
    }
    if (key.empty()) return std::nullopt;
    const auto [found, is_new] = known.emplace(key, static_cast<std::uint32_t>(points_here.size()));
    if (!is_new) return found->second;
    level.first_edge.push_back(static_cast<std::uint32_t>(level.edges.size()));
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < key.size(); i += 2) {
      level.edges.push_back({key[i], key[i + 1], sum});
      if (points[key[i + 1]] > kMostPoints - sum) throw too_many_points();
      sum += points[key[i + 1]];
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
  Builder builder{*this, plan, most_nodes, 0, {}};
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
  std::vector<std::uint32_t> next(order.size(), 0);  // by level: the value to try
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
  return std::all_of(naming_[parameter].begin(), naming_[parameter].end(),
                     [&](std::size_t constraint) { return holds(constraint, point); });
}

std::vector<std::uint32_t> SearchSpace::placed(const Point& point) const {
  std::vector<std::uint32_t> values;
  values.reserve(order_.size());
  for (const std::size_t parameter : order_) values.push_back(point[parameter]);
  return values;
}

Point SearchSpace::from_listed(std::uint64_t index) const {
  Point point(parameters_.size());
  for (std::size_t level = 0; level < order_.size(); ++level)
    point[order_[level]] = listed_[index * order_.size() + level];
  return point;
}

Point SearchSpace::point(std::uint64_t index) const {
  if (index >= count_) throw internal_error("a point beyond the end of its space was asked for");
  if (levels_.empty() && !order_.empty()) return from_listed(index);
  Point point(parameters_.size());
  std::uint32_t node = 0;
  for (const Level& level : levels_) {
    const auto begin = level.edges.begin() + level.first_edge[node];
    const auto end = level.edges.begin() + level.first_edge[node + 1];
    const auto edge = std::prev(std::upper_bound(
        begin, end, index, [](std::uint64_t wanted, const Edge& one) { return wanted < one.before; }));
    point[level.parameter] = edge->value;
    index -= edge->before;
    node = edge->child;
  }
  return point;
}

std::optional<std::uint64_t> SearchSpace::rank(const Point& point) const {
  require_place(point);
  if (count_ == 0) return std::nullopt;
  const std::vector<std::uint32_t> wanted = placed(point);
  if (levels_.empty() && !order_.empty()) {
    std::uint64_t low = 0, high = count_;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      const auto begin = listed_.begin() + static_cast<std::ptrdiff_t>(middle * order_.size());
      if (std::lexicographical_compare(begin, begin + static_cast<std::ptrdiff_t>(order_.size()),
                                       wanted.begin(), wanted.end())) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < count_ && from_listed(low) == point ? std::optional(low) : std::nullopt;
  }
  std::uint64_t rank = 0;
  std::uint32_t node = 0;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    const Level& level = levels_[i];
    const auto end = level.edges.begin() + level.first_edge[node + 1];
    const auto edge =
        std::lower_bound(level.edges.begin() + level.first_edge[node], end, wanted[i],
                         [](const Edge& one, std::uint32_t value) { return one.value < value; });
    if (edge == end || edge->value != wanted[i]) return std::nullopt;
    rank += edge->before;
    node = edge->child;
  }
  return rank;
}

void SearchSpace::require_place(const Point& point) const {
  if (point.size() != parameters_.size())
    throw internal_error("a point of another space: it has another number of parameters");
}

bool SearchSpace::contains(const Point& point) const {
  return rank(point).has_value();
}

}  // namespace kiln
