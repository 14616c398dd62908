#pragma once

#include <string>
#include <vector>

namespace kiln {

/// Compiler options for the arch of a CPU target (device/cpu/cpu_target.h): the same for g++ and clang++.
[[nodiscard]] std::vector<std::string> arch_options(const std::string& arch);

}  // namespace kiln
