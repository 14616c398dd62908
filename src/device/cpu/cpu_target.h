#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "device/target.h"

namespace kiln {

/// "native" and the levels of this machine's architecture.
[[nodiscard]] std::vector<std::string> cpu_target_names();

/// The CPU targets by name. An `arch` is a level of the architecture followed by the further instruction sets
/// that matter to generated code, "x86-64-v4 avx512bf16 avx512vnni", so that equal texts mean equal machine
/// code. "native" resolves to this machine's target, from /proc/cpuinfo; the name of a level is the target
/// itself. Throws bad_input for any other name, with the nearest one.
[[nodiscard]] Target cpu_target(const std::string& name, FileSystem& files);

}  // namespace kiln
