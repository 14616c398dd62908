#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "specialize/macro_expander.h"

namespace kiln {

/// The function-like macros of the texts that launch a kernel (`<<<`), declare types, instantiate templates,
/// get the name of such a macro (`FOR_TYPES(INSTANTIATE)`)
/// or call a template that a parameter names (`f<float>(__VA_ARGS__)`). The last text of a macro counts.
[[nodiscard]] MacroExpander launch_macros(const std::vector<const std::string*>& texts);

/// The text with uses of such macros replaced by what they stand for. Lines stay where they are.
[[nodiscard]] std::string expand_launch_macros(const std::string& text, const MacroExpander& macros);

/// `constexpr int NAME = 4;` or `using NAME = half;` in a macro with the parameter NAME, or in one that then
/// calls what it gets: `constexpr int kSize = 4; return __VA_ARGS__();`.
struct DeclaredConstant {
  std::size_t parameter = 0;  ///< the name's, unless `name` is there
  std::string name;           ///< empty: the parameter gives it
  std::string type;           ///< empty: an alias
  std::string value;
};
/// By the macro's name: the first constant of each parameter and each name.
using ConstantsOfMacros = std::map<std::string, std::vector<DeclaredConstant>, std::less<>>;

/// Of the function-like macros of the texts. The last text of a macro counts.
[[nodiscard]] ConstantsOfMacros constants_of_macros(const std::vector<const std::string*>& texts);

/// The text with what macros declare as constants in front of each use: `const int N = 2; SWITCH(n, N, ...)`
/// for `#define SWITCH(VALUE, NAME, ...) ... constexpr int NAME = 2; ...`. Lines stay where they are.
[[nodiscard]] std::string declare_constants_of_macros(const std::string& text,
                                                      const ConstantsOfMacros& declared);

/// Writes out macros of the texts that stand for several parameters of a kernel, `__global__ void k(ARGS)`
/// with `#define ARGS float* a, int n`, and those with arguments: `void k(IN(float, a))`. A macro that the
/// texts define in several ways stays. Lines stay where they are.
void expand_parameter_macros(const std::vector<std::string*>& texts);

}  // namespace kiln
