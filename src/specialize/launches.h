#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "specialize/program_text.h"

namespace kiln {

/// The index of the function or class around a token.
using ScopeAt = std::function<std::size_t(std::size_t)>;

/// The launches of kernels in a text, in its order.
[[nodiscard]] std::vector<TextLaunch> find_launches(const std::vector<Token>& tokens,
                                                    const ScopeAt& scope_at);

/// Behind the name of what a name at `i` calls, in front of its arguments or its template's: of `f(x)`, of
/// `std::forward<F>(f)(x)`, and of `f.template operator()<T>(x)`; 0 for all else.
[[nodiscard]] std::size_t behind_called(const std::vector<Token>& tokens, std::size_t i);

/// Calls and uses of `templates` in a text, in its order.
[[nodiscard]] std::vector<TextCall> find_calls(const std::vector<Token>& tokens,
                                               const std::set<std::string>& templates,
                                               const ScopeAt& scope_at);

}  // namespace kiln
