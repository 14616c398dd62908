#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tune/evaluation.h"

namespace kiln {

/// What one name of a space does to the objective.
struct ParameterEffect {
  std::string name;
  std::string best, worst;  ///< values
  double factor = 1;        ///< how much larger the objective is with the worst value, the others kept
  double share = 0;         ///< of the variance of the objective's logarithm that the name explains
};

/// Of each name of which several values were measured, the largest share first: an additive model of the
/// logarithm of the objective, fitted to all points that have a value or a bound, where the least that a
/// value can be counts. Empty where there are fewer points than values. `names`: in the order of
/// Evaluation::values.
[[nodiscard]] std::vector<ParameterEffect> parameter_effects(const std::vector<std::string>& names,
                                                             const std::vector<Evaluation>& evaluations);

}  // namespace kiln
