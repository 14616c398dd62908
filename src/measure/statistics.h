#pragma once

#include <cstddef>
#include <span>

namespace kiln {

/// Samples in seconds, summed up. The interval is that of the median, at 95 %, free of any distribution:
/// order statistics l and u with binomial tails (Conover, Practical Nonparametric Statistics, 3rd ed., 3.2;
/// Hoefler and Belli, SC'15, rule 7). With fewer than 6 samples it is [min, max].
struct Summary {
  std::size_t count = 0;
  double min = 0, median = 0, mean = 0, max = 0;
  double deviation = 0;  ///< standard deviation, n - 1
  double ci_low = 0, ci_high = 0;

  /// (ci_high - ci_low) / 2 / median; 0 for a median of 0.
  [[nodiscard]] double relative_half_width() const;
};

/// Throws an internal error for no samples.
[[nodiscard]] Summary summarize(std::span<const double> seconds);

}  // namespace kiln
