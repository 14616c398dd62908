#pragma once

#include <string>
#include <vector>

#include "specialize/macro_expander.h"

namespace kiln {

/// The function-like macros of the texts that launch a kernel (`<<<`), declare types, instantiate templates
/// or call a template that a parameter names (`f<float>(__VA_ARGS__)`). The last text of a macro counts.
[[nodiscard]] MacroExpander launch_macros(const std::vector<const std::string*>& texts);

/// The text with uses of such macros replaced by what they stand for. Lines stay where they are.
[[nodiscard]] std::string expand_launch_macros(const std::string& text, const MacroExpander& macros);

/// The text with what macros of the texts declare as constants in front of each use, with the first value:
/// `const int N = 2; SWITCH(n, N, ...)` for `#define SWITCH(VALUE, NAME, ...) ... constexpr int NAME = 2;
/// ...`. Lines stay where they are.
[[nodiscard]] std::string declare_constants_of_macros(const std::string& text,
                                                      const std::vector<const std::string*>& texts);

/// Writes out macros of the texts that stand for several parameters of a kernel: `__global__ void k(ARGS)`
/// with `#define ARGS float* a, int n`. A macro that the texts define in several ways stays. Lines stay where
/// they are.
void expand_parameter_macros(const std::vector<std::string*>& texts);

}  // namespace kiln
