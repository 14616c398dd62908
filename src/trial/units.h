#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "specialize/unit.h"
#include "workload/configuration.h"

namespace kiln {

/// The units of a step's kernels and of those that make inputs and references, by their names in the
/// workload. Kernels of a step are specialised apart from the others, but for those that share a variable of
/// their text (trial/shared_variables.h): these belong to one unit, the step's. Throws bad_input where macros
/// or options keep them from that.
[[nodiscard]] std::vector<Unit> make_variant_units(const Configuration& configuration,
                                                   const std::vector<std::string>& step,
                                                   const std::vector<std::string>& data, const Target& target,
                                                   FileSystem& files);

/// Every unit that a variant needs on a device of this target, those that make inputs and references
/// included.
[[nodiscard]] std::vector<Unit> units_of(const Configuration& configuration, const Target& target,
                                         FileSystem& files);

}  // namespace kiln
