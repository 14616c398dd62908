#pragma once

#include <string>
#include <vector>

namespace kiln {

/// Compiler options for the arch of a CPU target (device/cpu/cpu_target.h): the same for g++ and clang++.
[[nodiscard]] std::vector<std::string> arch_options(const std::string& arch);

/// Of the target's architecture, what every machine has: "x86-64" of "x86-64-v4 ..."; empty, which means no
/// option, of others.
[[nodiscard]] std::string baseline_arch(const std::string& arch);

}  // namespace kiln
