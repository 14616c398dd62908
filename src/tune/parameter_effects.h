#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tune/evaluation.h"

namespace kiln {

/// The effect of one name of a space on the objective.
struct ParameterEffect {
  std::string name;
  std::string best, worst;  ///< values
  double factor = 1;        ///< how much larger the objective is with the worst value, the others kept
  double share = 0;         ///< part of the variance of the objective's logarithm that the name explains
};

/// The effect of each name with several measured values, the largest share first: an additive model of the
/// logarithm of the objective, fitted to all points with a value or a bound, where the lower bound counts.
/// Empty if there are fewer points than values. `names`: in the order of Evaluation::values.
[[nodiscard]] std::vector<ParameterEffect> parameter_effects(const std::vector<std::string>& names,
                                                             const std::vector<Evaluation>& evaluations);

}  // namespace kiln
