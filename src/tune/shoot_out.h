#pragma once

#include <vector>

#include "tune/measurer.h"

namespace kiln {

/// Measures each of the best in turn, again and again, so that all see the same clocks and temperatures. The
/// winner has the least median; of those whose range overlaps the winner's, the one whose code differs least
/// from the default's, then the one with the fewest registers. The winner stands first, the others by their
/// medians. Those that fail are left out, and what was not done when somebody stops the search.
[[nodiscard]] std::vector<Finalist> shoot_out(const TuneTask& task, Measurer& measurer,
                                              const std::vector<Evaluation>& evaluations,
                                              const std::vector<std::size_t>& best,
                                              const std::vector<Candidate>& candidates);

/// Constants in the code of `one` that differ from those of `usual`, in value or in being constants.
[[nodiscard]] int code_differences(const Configuration& one, const Configuration& usual);

/// Those of `points` that no other is less than or equal to in both numbers, and less in one; by the first.
[[nodiscard]] std::vector<std::size_t> pareto_front(
    const std::vector<std::pair<std::size_t, std::vector<double>>>& points);

}  // namespace kiln
