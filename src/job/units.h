#pragma once

#include <vector>

#include "base/file.h"
#include "specialize/unit.h"
#include "workload/configuration.h"

namespace kiln {

/// Every unit that a variant needs on a device of this target, those that make inputs and references
/// included.
[[nodiscard]] std::vector<Unit> units_of(const Configuration& configuration, const Target& target,
                                         FileSystem& files);

}  // namespace kiln
