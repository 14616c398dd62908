#include "base/statistics.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kiln/error.h"

namespace kiln {
namespace {

double mean_of(std::span<const double> values) {
  CompensatedSum sum;
  for (const double value : values) sum.add(value);
  return sum.value() / static_cast<double>(values.size());
}

double deviation_of(std::span<const double> values, double mean) {
  if (values.size() < 2) return 0;
  CompensatedSum squares;
  for (const double value : values) squares.add((value - mean) * (value - mean));
  return std::sqrt(squares.value() / static_cast<double>(values.size() - 1));
}

double median_of_sorted(std::span<const double> sorted) {
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle]
                                : sorted[middle - 1] + (sorted[middle] - sorted[middle - 1]) / 2;
}

/// The number of samples left out at each end: the largest d for which P(Binomial(n, 1/2) <= d) is at most
/// 2.5 %, or 0 if there is none. The terms are summed by their logarithms, which do not underflow for large
/// n.
std::size_t samples_outside_interval(std::size_t n) {
  constexpr double kTail = 0.025;
  const auto count = static_cast<double>(n);
  double log_term = -count * std::log(2.0);
  double tail = std::exp(log_term);
  std::size_t outside = 0;
  while (tail <= kTail) {
    const auto k = static_cast<double>(outside);
    log_term += std::log((count - k) / (k + 1));
    tail += std::exp(log_term);
    ++outside;
  }
  return outside == 0 ? 0 : outside - 1;
}

}  // namespace

void CompensatedSum::add(double value) {
  const double sum = sum_ + value;
  if (std::isfinite(sum)) {
    correction_ += std::abs(sum_) >= std::abs(value) ? (sum_ - sum) + value : (value - sum) + sum_;
  }
  sum_ = sum;
}

double Summary::relative_half_width() const {
  return median == 0 ? 0 : (ci_high - ci_low) / 2 / median;
}

Summary summarize(std::span<const double> seconds) {
  if (seconds.empty()) throw internal_error("there are no samples to sum up");
  std::vector<double> sorted(seconds.begin(), seconds.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t outside = samples_outside_interval(sorted.size());
  Summary summary;
  summary.count = sorted.size();
  summary.min = sorted.front();
  summary.median = median_of_sorted(sorted);
  summary.mean = mean_of(sorted);
  summary.max = sorted.back();
  summary.deviation = deviation_of(sorted, summary.mean);
  summary.ci_low = sorted[outside];
  summary.ci_high = sorted[sorted.size() - 1 - outside];
  return summary;
}

Interval range_of(std::span<const double> values) {
  const Summary summary = summarize(values);
  return {summary.median, summary.min, summary.max};
}

}  // namespace kiln
