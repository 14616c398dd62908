#pragma once

#include <cstddef>
#include <string>

#include "specialize/tokens.h"

namespace kiln {

/// Whether two places of a text are in different branches of one conditional.
[[nodiscard]] bool are_alternatives(const TokenizedText& text, std::size_t offset, std::size_t other);

/// The text with only the first branch of conditionals inside of parentheses, such as parameter lists, and of
/// those in the head of a kernel, if the first branch has `__global__`. Lines stay where
/// they are.
[[nodiscard]] std::string with_one_branch(const std::string& text);

}  // namespace kiln
