#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "specialize/tokens.h"

namespace kiln {

/// Whether two places of a text are in different branches of one conditional.
[[nodiscard]] bool are_alternatives(const TokenizedText& text, std::size_t offset, std::size_t other);

/// The macros that conditionals around a place ask for: `#ifdef X`, `#elif defined(X)`, the `#else` of
/// `#ifndef X`; "0" where it is not compiled: `#if 0`, and branches that known macros exclude. Known are the
/// macros in `defined` and what the text defines in front of the place without a condition.
[[nodiscard]] std::vector<std::string> macros_around(const TokenizedText& text, std::size_t offset,
                                                     std::set<std::string, std::less<>> defined = {});

/// The text with only the first branch of conditionals inside of parentheses, such as parameter lists, and of
/// those in the head of a kernel, if the first branch has `__global__`. Lines stay where
/// they are.
[[nodiscard]] std::string with_one_branch(const std::string& text);

}  // namespace kiln
