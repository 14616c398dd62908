#pragma once

#include <string>
#include <vector>

namespace kiln {

/// Names of back ends: what a device's name begins with, and keys of a workload file.
[[nodiscard]] const std::vector<std::string>& backend_names();

}  // namespace kiln
