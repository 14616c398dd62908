#pragma once

#include <string>

#include "config/yaml_node.h"
#include "workload/workload.h"

namespace kiln {

/// One member of `parameters`.
[[nodiscard]] ParameterSpec read_parameter(const std::string& name, const YamlNode& node);

/// The parameter `seed` that each workload has.
[[nodiscard]] ParameterSpec seed_parameter();

}  // namespace kiln
