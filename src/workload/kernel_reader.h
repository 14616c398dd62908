#pragma once

#include <string>

#include "config/yaml_node.h"
#include "workload/workload.h"

namespace kiln {

/// One member of `kernels`.
[[nodiscard]] KernelSpec read_kernel(const std::string& name, const YamlNode& node);

}  // namespace kiln
