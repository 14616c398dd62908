#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tune/score.h"

namespace kiln {

struct CompareOptions {
  std::vector<std::string> searchers;
  std::uint64_t seeds = 20;  ///< 0, 1, ...
  ReplayOptions replay;
  unsigned threads = 1;
};

/// Evaluations at which the found fraction is shown.
inline constexpr std::uint64_t kShownEvaluations[] = {20, 50, 100, 200};

/// When a search was within `kNear` of the optimum: medians over the seeds, infinite where most never were.
inline constexpr double kNear = 0.02;
struct NearOptimum {
  double evaluations = 0;
  double time = 0;  ///< over the time of measuring every point
};

/// One searcher on one space.
struct SearcherResult {
  std::string space, searcher;
  std::vector<double> fraction;  ///< mean optimum / best after 1, 2, ... evaluations
  std::vector<double> random;    ///< its exact expectation for uniform samples without replacement
  Score score;
  NearOptimum near;
  double seconds = 0;  ///< time of this machine for one run

  /// The last one where there are fewer.
  [[nodiscard]] double fraction_after(std::uint64_t evaluations) const;
  [[nodiscard]] double random_after(std::uint64_t evaluations) const;
};

/// Replays every searcher over every space with every seed; runs are spread over threads. Spaces by
/// searchers, in the order given.
[[nodiscard]] std::vector<SearcherResult> compare_searchers(const std::vector<RecordedSpace>& spaces,
                                                            const CompareOptions& options);
/// One for each searcher: the mean over its spaces, which is called "mean".
[[nodiscard]] std::vector<SearcherResult> means_over_spaces(const std::vector<SearcherResult>& results);

/// A line for each result.
[[nodiscard]] std::string scores_to_csv(const std::vector<SearcherResult>& results);
/// A line for each evaluation of each result, for plots.
[[nodiscard]] std::string curves_to_csv(const std::vector<SearcherResult>& results);

}  // namespace kiln
