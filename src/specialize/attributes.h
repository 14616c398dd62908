#pragma once

#include <string_view>

#include "specialize/tokens.h"

namespace kiln {

/// Whether a name takes a parenthesis in a declaration's head without being what it declares:
/// `__launch_bounds__`, `alignas`, `noexcept`, ...
[[nodiscard]] bool is_attribute(std::string_view name);

/// Whether the token is an attribute in brackets that may give a variable its alignment: `alignas`,
/// `__align__`, `__builtin_align__` and `__attribute__`.
[[nodiscard]] bool is_alignment(const Token& token);

}  // namespace kiln
