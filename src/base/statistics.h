#pragma once

#include <cstddef>
#include <span>

namespace kiln {

/// The sum with compensation (Neumaier, ZAMM 54, 1974), so that a million terms lose no digits.
class CompensatedSum {
 public:
  void add(double value);
  [[nodiscard]] double value() const { return sum_ + correction_; }

 private:
  double sum_ = 0;
  double correction_ = 0;
};

/// An estimate with its interval at 95 %, or a median with the range of the samples.
struct Interval {
  double median = 0, low = 0, high = 0;
  [[nodiscard]] bool holds(double value) const { return low <= value && value <= high; }
};

/// Summary of samples in seconds. The interval is for the median, at 95 %, free of any distribution: order
/// statistics l and u with binomial tails (Conover, Practical Nonparametric Statistics, 3rd ed., 3.2; Hoefler
/// and Belli, SC'15, rule 7). With fewer than 6 samples it is [min, max].
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
/// Median, least and most; throws as `summarize`.
[[nodiscard]] Interval range_of(std::span<const double> values);

}  // namespace kiln
