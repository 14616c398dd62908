#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "measure/compare_rules.h"

namespace kiln {

/// Result of a comparison. `worst_index` is the element that exceeds its tolerance most (or comes nearest to
/// it), the first of several; its two values are rounded if they have 64 bits.
struct Comparison {
  std::uint64_t compared = 0, skipped = 0, mismatches = 0;
  std::uint64_t worst_index = 0;
  double worst_value = 0, worst_expected = 0;
  double max_relative_error = 0;
  double worst_excess = -1;

  [[nodiscard]] bool ok() const { return mismatches == 0; }
};

/// Adds one element, of any scalar type. Inline, for it is called for each element of arrays of any size.
template <class Value, class Expected>
inline void compare_one(Comparison& result, const Tolerance& tolerance, std::uint64_t index, Value value,
                        Expected expected) {
  const ElementComparison found = compare_element(tolerance, comparable(value), comparable(expected),
                                                  std::numeric_limits<double>::infinity());
  if (found.skipped) {
    ++result.skipped;
    return;
  }
  ++result.compared;
  if (!found.agrees) ++result.mismatches;
  result.max_relative_error = std::max(result.max_relative_error, found.relative_error);
  if (found.excess > result.worst_excess) {
    result.worst_excess = found.excess;
    result.worst_index = index;
    result.worst_value = static_cast<double>(value);
    result.worst_expected = static_cast<double>(expected);
  }
}

/// Adds the findings for elements that come after the elements of `result`.
void merge(Comparison& result, const Comparison& later);

}  // namespace kiln
