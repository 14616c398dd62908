#pragma once

#include <string>
#include <vector>

namespace kiln {

/// Compiler options for the arch of a CPU target (device/cpu/cpu_target.h): the same for g++ and clang++.
[[nodiscard]] std::vector<std::string> arch_options(const std::string& arch);

/// The part of the target's architecture that every machine has: "x86-64" for "x86-64-v4 ..."; empty for
/// other architectures, which means no option.
[[nodiscard]] std::string baseline_arch(const std::string& arch);

}  // namespace kiln
