// Spaces given by their points; ranks, samples and neighbours of points.
#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <unordered_set>

#include "kiln/error.h"
#include "search/search_space.h"

namespace kiln {

SearchSpace SearchSpace::of_points(std::vector<SpaceParameter> parameters, std::vector<Point> points) {
  SearchSpace space;
  space.parameters_ = std::move(parameters);
  space.naming_.resize(space.parameters_.size());
  space.order_.resize(space.parameters_.size());
  space.of_points_ = true;
  std::iota(space.order_.begin(), space.order_.end(), std::size_t{0});
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() > kMostListedValues / std::max<std::size_t>(1, space.order_.size()))
    throw bad_input("the space has " + std::to_string(points.size()) + " points; expected fewer");
  for (const Point& point : points) {
    space.require_place(point);
    space.listed_.insert(space.listed_.end(), point.begin(), point.end());
  }
  space.count_ = points.size();
  return space;
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

/// Floyd's algorithm (Bentley, Floyd: A Sample of Brilliance, CACM 30(9), 1987), then a shuffle.
std::vector<std::uint64_t> SearchSpace::sample(std::uint64_t wanted, std::mt19937_64& random) const {
  wanted = std::min(wanted, count_);
  std::unordered_set<std::uint64_t> taken;
  std::vector<std::uint64_t> ranks;
  for (std::uint64_t last = count_ - wanted; last < count_; ++last) {
    const std::uint64_t any = std::uniform_int_distribution<std::uint64_t>(0, last)(random);
    const std::uint64_t rank = taken.insert(any).second ? any : last;
    if (rank == last) taken.insert(last);
    ranks.push_back(rank);
  }
  std::shuffle(ranks.begin(), ranks.end(), random);
  return ranks;
}

std::vector<Point> SearchSpace::neighbours(const Point& point, Neighbourhood kind) const {
  std::vector<Point> found;
  Point other = point;
  for (std::size_t parameter = 0; parameter < parameters_.size(); ++parameter) {
    const std::uint32_t own = point[parameter];
    const auto take = [&](std::uint32_t value) {
      other[parameter] = value;
      if (!holds_around(parameter, other)) return false;
      found.push_back(other);
      return true;
    };
    const bool all = kind == Neighbourhood::kHamming;
    for (std::uint32_t value = own; value-- > 0;) {
      if (take(value) && !all) break;
    }
    for (std::uint32_t value = own + 1; value < parameters_[parameter].values; ++value) {
      if (take(value) && !all) break;
    }
    other[parameter] = own;
  }
  return found;
}

std::optional<Point> SearchSpace::repair(const Point& point) const {
  require_place(point);
  if (contains(point)) return point;
  std::set<std::size_t> suspects;
  for (std::size_t i = 0; of_points_ && i < parameters_.size(); ++i) suspects.insert(i);
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    if (!holds(i, point)) suspects.insert(constraints_[i].scope.begin(), constraints_[i].scope.end());
  }
  // The values of a parameter, the nearest to its own first.
  const auto values_of = [&](std::size_t parameter) {
    std::vector<std::uint32_t> values(parameters_[parameter].values);
    std::iota(values.begin(), values.end(), 0U);
    std::erase(values, point[parameter]);
    const auto distance = [own = point[parameter]](std::uint32_t value) {
      return value > own ? value - own : own - value;
    };
    std::stable_sort(values.begin(), values.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return distance(a) < distance(b); });
    return values;
  };
  Point other = point;
  for (const std::size_t parameter : suspects) {
    for (const std::uint32_t value : values_of(parameter)) {
      other[parameter] = value;
      if (contains(other)) return other;
    }
    other[parameter] = point[parameter];
  }
  for (auto first = suspects.begin(); first != suspects.end(); ++first) {
    for (auto second = std::next(first); second != suspects.end(); ++second) {
      for (const std::uint32_t one : values_of(*first)) {
        other[*first] = one;
        for (const std::uint32_t two : values_of(*second)) {
          other[*second] = two;
          if (contains(other)) return other;
        }
        other[*second] = point[*second];
      }
      other[*first] = point[*first];
    }
  }
  return std::nullopt;
}

std::optional<double> SearchSpace::excluded_by(std::size_t constraint) const {
  constexpr double kMost = 1e6;
  const SpaceConstraint& one = constraints_[constraint];
  double combinations = 1;
  for (const std::size_t parameter : one.scope) combinations *= parameters_[parameter].values;
  if (combinations > kMost) return std::nullopt;
  std::vector<std::uint32_t> values(one.scope.size(), 0);
  double excluded = 0;
  for (;;) {
    if (!one.holds(values)) ++excluded;
    std::size_t place = values.size();
    while (place > 0 && ++values[place - 1] == parameters_[one.scope[place - 1]].values) values[--place] = 0;
    if (place == 0) return excluded / combinations;
  }
}

}  // namespace kiln
