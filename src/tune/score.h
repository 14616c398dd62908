#pragma once

#include <cstdint>
#include <vector>

#include "tune/recorded_space.h"
#include "tune/replay.h"

namespace kiln {

/// The expected results of random search in a recorded space, and the range of the community's score:
/// Willemsen et al., A Methodology for Comparing Auto-Tuning Optimization Algorithms, Future Generation
/// Computer Systems 159, 2024, and the program autotuning_methodology. Values are sorted best first.
class Baseline {
 public:
  explicit Baseline(const RecordedSpace& recorded);

  [[nodiscard]] double optimum() const { return values_.front(); }
  [[nodiscard]] const std::vector<double>& values() const { return values_; }
  /// The place in `values()` of the best of that many draws, by the methodology: the mean rank of an order
  /// statistic, over the measured points alone.
  [[nodiscard]] double community_value(double draws) const;
  /// Expectation for the best of that many different points, including failed ones, given that one was
  /// measured: the mean of its value and of optimum / value. Exact.
  struct Expectation {
    double value = 0, fraction = 0;
  };
  [[nodiscard]] Expectation expected_best(std::uint64_t draws) const;
  /// Evaluations after which the baseline has gone this part of the way from the median to the optimum.
  [[nodiscard]] std::uint64_t cut_off(double part) const;
  [[nodiscard]] double median_seconds() const { return median_seconds_; }
  /// For each measured value, the time of failed points included.
  [[nodiscard]] double seconds_per_value() const { return seconds_per_value_; }

 private:
  std::vector<double> values_;
  std::uint64_t points_ = 0;
  double median_seconds_ = 0, seconds_per_value_ = 0;
};

struct Score {
  double evaluations = 0;  ///< the community's, over evaluations
  double time = 0;         ///< the community's, over time
  double exact = 0;        ///< mean best against the exact expectation of random search, over evaluations
};

/// The part of the distance from random search to the optimum that the searches saved, as the mean over the
/// range: 1 for the optimum at once, 0 for random search. Ranges end at the 95 % cut-off, or with the traces.
[[nodiscard]] Score score_of(const Baseline& baseline, const std::vector<SearchTrace>& traces);

/// The mean over the traces of optimum / best after so many evaluations; 0 for a trace without a value.
[[nodiscard]] double found_fraction(const Baseline& baseline, const std::vector<SearchTrace>& traces,
                                    std::uint64_t evaluations);

}  // namespace kiln
