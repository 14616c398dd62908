#pragma once

#include <vector>

#include "tune/measurer.h"

namespace kiln {

/// The points that are measured again.
struct ShootOut {
  const std::vector<Evaluation>& evaluations;
  const std::vector<std::size_t>& places;    ///< places of evaluations, the best first
  const std::vector<Candidate>& candidates;  ///< of those
  std::size_t contenders = 0;  ///< number of points that can win; the others are there to compare with
};

/// Measures each point in turn, repeatedly, so that all see the same clocks and temperatures. The winner has
/// the least median of the contenders; of those whose range overlaps the winner's, the one whose code differs
/// least from the default's wins, then the one with the fewest registers. The winner is first, the others
/// follow by their medians. Failed points, and points not measured when the search is stopped, are left out.
/// Empty if there is nothing to compare or no contender is left.
[[nodiscard]] std::vector<Finalist> shoot_out(const TuneTask& task, Measurer& measurer, const ShootOut& who);

/// Constants in the code of `one` that differ from the constants of `usual`, in value or in being constants.
[[nodiscard]] int code_differences(const Configuration& one, const Configuration& usual);

/// The `points` that no other point dominates (less or equal in both numbers, and less in one); sorted by the
/// first.
[[nodiscard]] std::vector<std::size_t> pareto_front(
    const std::vector<std::pair<std::size_t, std::vector<double>>>& points);

}  // namespace kiln
