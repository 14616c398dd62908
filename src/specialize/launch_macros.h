#pragma once

#include <string>
#include <vector>

namespace kiln {

/// The text with uses of function-like macros that launch a kernel (`<<<`), declare types or instantiate
/// templates replaced by what they stand for. Lines stay where they are.
[[nodiscard]] std::string expand_launch_macros(const std::string& text);

/// Writes out macros of the texts that stand for several parameters of a kernel: `__global__ void k(ARGS)`
/// with `#define ARGS float* a, int n`. A macro that the texts define in several ways stays. Lines stay where
/// they are.
void expand_parameter_macros(const std::vector<std::string*>& texts);

}  // namespace kiln
