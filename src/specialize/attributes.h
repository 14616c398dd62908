#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "specialize/tokens.h"

namespace kiln {

/// Whether a name takes a parenthesis in a declaration's head without being what it declares:
/// `__launch_bounds__`, `alignas`, `noexcept`, ...
[[nodiscard]] bool is_attribute(std::string_view name);

/// Whether the token is an attribute in brackets that may give a variable its alignment: `alignas`,
/// `__align__`, `__builtin_align__` and `__attribute__`.
[[nodiscard]] bool is_alignment(const Token& token);

/// Whether a macro with a number, as in `uint32_t ALIGNED(16) data[4]`, begins at the token.
[[nodiscard]] bool is_alignment_macro(const std::vector<Token>& tokens, std::size_t i);

}  // namespace kiln
