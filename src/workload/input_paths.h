#pragma once

#include <string>
#include <vector>

#include "workload/configuration.h"

namespace kiln {

/// The files that a configuration may read numbers from, there or not, in order and each once: of buffers, of
/// checks, and of parameters with `from`.
[[nodiscard]] std::vector<std::string> input_paths(const Configuration& configuration);

}  // namespace kiln
