#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace kiln {

/// One point of a space: for each parameter the place of its value in the parameter's list, from 0.
using Point = std::vector<std::uint32_t>;

struct SpaceParameter {
  std::string name;
  std::uint32_t values = 1;  ///< how many it has, at least 1
};

/// A condition on some of the parameters.
struct SpaceConstraint {
  std::string text;                ///< for messages
  std::vector<std::size_t> scope;  ///< indices of the parameters that it depends on, each once
  /// Gets the places of the values of `scope`, in that order. Called once or more for each combination.
  std::function<bool(std::span<const std::uint32_t>)> holds;
};

/// The order in which points are counted: by the parameters as given, the last varying fastest, or by the one
/// of that and a greedy order that is expected to need fewer nodes.
enum class SpaceOrder { kGiven, kCheapest };

enum class Neighbourhood {
  kHamming,   ///< one parameter has any other value
  kAdjacent,  ///< one parameter has the next value up or down that is in the space
};

/// The points that satisfy every constraint, as a layered decision diagram: a level for each parameter, an
/// edge for each value, and at each node the number of points below it. Two prefixes that agree in the values
/// that unfinished constraints still need share a node, and so do nodes with the same points below them.
/// Counting, the k-th point, a point's rank and uniform samples walk one path; no list of points is made.
/// Where the diagram would exceed `kMostNodes`, the points are found by backtracking and listed instead.
class SearchSpace {
 public:
  static constexpr std::size_t kMostNodes = 1'000'000;
  static constexpr std::uint64_t kMostListedValues = std::uint64_t{1}
                                                     << 26;  ///< points times parameters: 256 MiB

  /// Throws bad_input for a space of more than 2^63 points, or of more than `kMostListedValues` where it has
  /// to be listed. Throws what a constraint throws.
  SearchSpace(std::vector<SpaceParameter> parameters, std::vector<SpaceConstraint> constraints,
              SpaceOrder order = SpaceOrder::kCheapest, std::size_t most_nodes = kMostNodes);
  /// The space of these points, as recorded ones are; equal points count once. Points are counted by the
  /// parameters as given. Throws bad_input for more than `kMostListedValues`.
  [[nodiscard]] static SearchSpace of_points(std::vector<SpaceParameter> parameters,
                                             std::vector<Point> points);

  [[nodiscard]] const std::vector<SpaceParameter>& parameters() const { return parameters_; }
  [[nodiscard]] const std::vector<SpaceConstraint>& constraints() const { return constraints_; }
  /// Points with and without regard to the constraints.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] double raw_count() const;
  /// Nodes of the diagram; 0 where the points are listed.
  [[nodiscard]] std::size_t nodes() const;

  /// `index` is less than `count()`.
  [[nodiscard]] Point point(std::uint64_t index) const;
  /// Absent for a point that is not in the space.
  [[nodiscard]] std::optional<std::uint64_t> rank(const Point& point) const;
  [[nodiscard]] bool contains(const Point& point) const;
  /// Ranks of `wanted` different points, each set of points as probable as any other; all points in random
  /// order where there are no more.
  [[nodiscard]] std::vector<std::uint64_t> sample(std::uint64_t wanted, std::mt19937_64& random) const;
  /// Points of the space that differ from `point`, which is in it, in one parameter.
  [[nodiscard]] std::vector<Point> neighbours(const Point& point, Neighbourhood kind) const;
  /// A point of the space near `point`: itself, or with one or two parameters of a violated constraint
  /// changed, the fewest and nearest values first. Absent where there is none.
  [[nodiscard]] std::optional<Point> repair(const Point& point) const;
  /// The part of all raw points that this constraint alone excludes, from 0 to 1; absent where its parameters
  /// have more than a million combinations.
  [[nodiscard]] std::optional<double> excluded_by(std::size_t constraint) const;

 private:
  struct Edge {
    std::uint32_t value = 0;
    std::uint32_t child = 0;   ///< node of the next level
    std::uint64_t before = 0;  ///< points under the node's earlier edges
  };
  struct Level {
    std::size_t parameter = 0;
    std::vector<std::uint32_t> first_edge;  ///< by node, and one past the last
    std::vector<Edge> edges;                ///< by node, then value
  };
  struct Builder;

  SearchSpace() = default;
  [[nodiscard]] bool holds(std::size_t constraint, const Point& point) const;
  [[nodiscard]] bool holds_around(std::size_t parameter, const Point& point) const;
  [[nodiscard]] std::vector<std::uint32_t> placed(const Point& point) const;
  [[nodiscard]] Point from_listed(std::uint64_t index) const;
  void require_place(const Point& point) const;
  void list_points(const std::vector<std::size_t>& order);

  std::vector<SpaceParameter> parameters_;
  std::vector<SpaceConstraint> constraints_;
  std::vector<std::vector<std::size_t>> naming_;  // by parameter: the constraints that name it
  std::vector<std::size_t> order_;                // parameters by level
  std::vector<Level> levels_;                     // empty where the points are listed
  std::vector<std::uint32_t> listed_;             // points by level order, ascending
  bool of_points_ = false;                        // given by its points, without constraints
  std::uint64_t count_ = 0;
};

}  // namespace kiln
