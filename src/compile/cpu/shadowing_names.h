#pragma once

#include <vector>

#include "specialize/tokens.h"

namespace kiln {

/// Edits that rename parameters of members that are called like a parameter of their class's template:
/// `template <int rows> struct M { static M made(int rows) {...} };`, which nvcc takes and C++ forbids.
[[nodiscard]] std::vector<TextEdit> rename_shadowing_parameters(const std::vector<Token>& tokens);

}  // namespace kiln
