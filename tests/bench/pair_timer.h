#pragma once

#include <functional>
#include <string>

#include "base/statistics.h"

namespace kiln::bench {

/// Two ways to do the same work, timed by turns in one run, so that what else the machine does falls on both
/// alike.
struct Pair {
  Summary kiln, other;                   ///< seconds
  double ratio = 0;                      ///< median of other / kiln over the rounds: above 1, Kiln is faster
  double ratio_low = 0, ratio_high = 0;  ///< quartiles of that
};

[[nodiscard]] Pair time_pair(const std::function<void()>& kiln, const std::function<void()>& other,
                             int rounds);

/// Quartile `q` (0 to 4) of some values.
[[nodiscard]] double quartile(std::vector<double> values, int q);

}  // namespace kiln::bench
