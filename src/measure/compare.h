#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

namespace kiln {

/// A value agrees with what is expected if |value - expected| <= atol + rtol * |expected|. NaN never agrees,
/// an infinity only with itself. An element is skipped if both magnitudes are below `skip_below`.
struct Tolerance {
  double rtol = 0, atol = 0, skip_below = 0;
};

/// What a comparison found. `worst_index` is the element that exceeds its tolerance most (or comes nearest to
/// it).
struct Comparison {
  std::uint64_t compared = 0, skipped = 0, mismatches = 0;
  std::uint64_t worst_index = 0;
  double worst_value = 0, worst_expected = 0;
  double max_relative_error = 0;  ///< |value - expected| / |expected|, where expected is not 0
  double worst_excess = -1;       ///< error over allowed error; infinite for NaN and for a zero tolerance

  [[nodiscard]] bool ok() const { return mismatches == 0; }
};

/// Adds one element. Inline, for it is called for each element of arrays of any size.
inline void compare_one(Comparison& result, const Tolerance& tolerance, std::uint64_t index, double value,
                        double expected) {
  const double size = std::abs(expected);
  if (std::abs(value) < tolerance.skip_below && size < tolerance.skip_below) {
    ++result.skipped;
    return;
  }
  ++result.compared;
  const double error = value == expected ? 0 : std::abs(value - expected);
  const double allowed = tolerance.atol + tolerance.rtol * size;
  const bool agrees = error == 0 || (std::isfinite(error) && error <= allowed);
  if (!agrees) ++result.mismatches;
  if (!std::isfinite(error)) result.max_relative_error = std::numeric_limits<double>::infinity();
  if (error > 0 && size > 0) result.max_relative_error = std::max(result.max_relative_error, error / size);
  double excess = 0;
  if (error != 0)
    excess = allowed > 0 && std::isfinite(error) ? error / allowed : std::numeric_limits<double>::infinity();
  if (excess > result.worst_excess) {
    result.worst_excess = excess;
    result.worst_index = index;
    result.worst_value = value;
    result.worst_expected = expected;
  }
}

/// Adds what was found of elements that come after those of `result`.
void merge(Comparison& result, const Comparison& later);

/// The sum with compensation (Neumaier, ZAMM 54, 1974), so that a million terms lose no digits.
class CompensatedSum {
 public:
  void add(double value);
  [[nodiscard]] double value() const { return sum_ + correction_; }

 private:
  double sum_ = 0;
  double correction_ = 0;
};

}  // namespace kiln
