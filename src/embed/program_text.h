#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kiln/function.h"

// A program's text as it is compiled for one function.
namespace kiln {

/// An argument (from 0) and its value as C++ spells it.
using ConstantText = std::pair<int, std::string>;

/// Gives the arguments of the kernel's definitions these values: the parameter gets another name, and a
/// variable of the old one holds the value. Lines stay where they are. Throws bad_input where the text does
/// not define the kernel, or with fewer arguments.
[[nodiscard]] std::string with_constants(const std::string& text, const std::string& kernel,
                                         const std::vector<ConstantText>& constants);

/// Gives the kernel's definitions `__launch_bounds__(bounds)`. Throws bad_input where the text does not
/// define the kernel, or gives it some already.
[[nodiscard]] std::string with_launch_bounds(const std::string& text, const std::string& kernel,
                                             const std::string& bounds);

/// Text to append to a kernel text, which then compiles only if the kernel takes these arguments; see
/// FunctionRequest::get. An argument without a name may have any type. `file` is the text's name in messages.
[[nodiscard]] std::string signature_check(const std::string& name_expression,
                                          const std::vector<detail::ArgumentType>& arguments,
                                          const std::string& file);
/// The mismatch that a compiler's log reports: "argument 2 is const double*, the program passes const
/// float*"; empty if the log has no such text. `nullopt`: the log complains of something else.
[[nodiscard]] std::optional<std::string> find_mismatch_in(const std::string& log);

}  // namespace kiln
