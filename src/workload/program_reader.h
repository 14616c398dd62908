#pragma once

#include "config/yaml_node.h"
#include "workload/program.h"

namespace kiln {

/// Reads `run:`: a list of statements, or one. Names of kernels, buffers and variables are checked later.
/// Throws bad_input at the statement, key or expression at fault.
[[nodiscard]] ProgramSpec read_program(const YamlNode& node);

}  // namespace kiln
