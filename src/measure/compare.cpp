#include "measure/compare.h"

#include <cmath>

namespace kiln {

void merge(Comparison& result, const Comparison& later) {
  result.compared += later.compared;
  result.skipped += later.skipped;
  result.mismatches += later.mismatches;
  result.max_relative_error = std::max(result.max_relative_error, later.max_relative_error);
  if (later.worst_excess <= result.worst_excess) return;
  result.worst_excess = later.worst_excess;
  result.worst_index = later.worst_index;
  result.worst_value = later.worst_value;
  result.worst_expected = later.worst_expected;
}

}  // namespace kiln
