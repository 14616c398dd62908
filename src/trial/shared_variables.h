#pragma once

#include <set>
#include <string>
#include <vector>

#include "specialize/unit.h"

// Variables in device memory belong to the code of one unit: kernels that are compiled apart have one each,
// also where their text has one alone.
namespace kiln {

/// Kernels (names in the workload) of `data` that share a variable of their text with a unit of `step`: one
/// that kernels can write, or one that only one of the units is given by `symbols`.
[[nodiscard]] std::set<std::string> kernels_that_share(const Configuration& configuration,
                                                       const std::vector<Unit>& step,
                                                       const std::vector<Unit>& data);

/// Throws bad_input, with both kernels, the variable and the remedy, where two of these units, of one device
/// or of several, ought to share one.
void require_shared_variables(const Configuration& configuration, const std::vector<const Unit*>& units);

}  // namespace kiln
