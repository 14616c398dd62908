#pragma once

#include <string_view>
#include <vector>

#include "kiln/function.h"

namespace kiln::capi {

/// The arguments of "int, double, const double*, Particle{48}": C types, as a 64-bit program passes them, and
/// types of the kernel's text with their bytes. An empty text: none. Throws bad_input with the argument's
/// number for what is no type, and for a type whose size is not known.
[[nodiscard]] std::vector<detail::ArgumentType> parse_signature(std::string_view text);

}  // namespace kiln::capi
