#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "config/tune_section.h"
#include "tune/evaluation.h"
#include "tune/objective.h"

namespace kiln {

/// State of a search.
struct TuneProgress {
  std::uint64_t evaluated = 0;
  std::optional<std::uint64_t> evaluations;  ///< the budget's
  double seconds = 0;
  std::optional<double> seconds_left;  ///< at least one of the budget's limits lets it last no longer
  const Evaluation* last = nullptr;
  const Evaluation* best = nullptr;
};

/// A search's budget, from the moment that this is made.
class TuneLimits {
 public:
  /// `points` of the space. Throws bad_input for a target that the objective does not know.
  TuneLimits(const TuneBudget& budget, std::uint64_t points, const Objective& objective,
             const DeviceInfo& device, const Clock& clock);

  /// The most evaluations of points, where they are limited. The default's and the paper's variant count
  /// where they are points of the space.
  [[nodiscard]] const std::optional<std::uint64_t>& evaluations() const { return evaluations_; }
  /// How many more there may be after these.
  [[nodiscard]] std::optional<std::uint64_t> left(const std::vector<Evaluation>& evaluations) const;
  /// Since the beginning.
  [[nodiscard]] double seconds() const { return seconds_between(begin_ns_, clock_.steady_ns()); }
  /// The limit that is reached, in words; empty: none.
  [[nodiscard]] std::string reached(const std::vector<Evaluation>& evaluations,
                                    const std::optional<std::size_t>& best) const;
  /// `known`: how many of the evaluations cost no time. Points into `evaluations`.
  [[nodiscard]] TuneProgress progress(const std::vector<Evaluation>& evaluations,
                                      const std::optional<std::size_t>& best, std::uint64_t known) const;

 private:
  const TuneBudget& budget_;
  std::uint64_t points_;
  const Clock& clock_;
  std::int64_t begin_ns_;
  std::optional<std::uint64_t> evaluations_;
  std::optional<MetricTarget> target_;
};

}  // namespace kiln
