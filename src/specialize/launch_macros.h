#pragma once

#include <string>

namespace kiln {

/// The text with uses of function-like macros that launch a kernel (`<<<`), declare types or instantiate
/// templates replaced by what they stand for. Lines stay where they are.
[[nodiscard]] std::string expand_launch_macros(const std::string& text);

}  // namespace kiln
