#pragma once

#include <vector>

#include "tune/measurer.h"

namespace kiln {

/// Who is measured again.
struct ShootOut {
  const std::vector<Evaluation>& evaluations;
  const std::vector<std::size_t>& places;    ///< of evaluations, the best first
  const std::vector<Candidate>& candidates;  ///< of those
  std::size_t contenders = 0;                ///< of them can win; the others are there to compare with
};

/// Measures each in turn, again and again, so that all see the same clocks and temperatures. The winner has
/// the least median of the contenders; of those whose range overlaps the winner's, the one whose code differs
/// least from the default's, then the one with the fewest registers. The winner stands first, the others by
/// their medians. Those that fail are left out, and what was not done when somebody stops the search. Empty
/// where there is nothing to compare or nobody is left to win.
[[nodiscard]] std::vector<Finalist> shoot_out(const TuneTask& task, Measurer& measurer, const ShootOut& who);

/// Constants in the code of `one` that differ from those of `usual`, in value or in being constants.
[[nodiscard]] int code_differences(const Configuration& one, const Configuration& usual);

/// Those of `points` that no other is less than or equal to in both numbers, and less in one; by the first.
[[nodiscard]] std::vector<std::size_t> pareto_front(
    const std::vector<std::pair<std::size_t, std::vector<double>>>& points);

}  // namespace kiln
