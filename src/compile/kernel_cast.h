#pragma once

#include <optional>
#include <string>

#include "specialize/specialization.h"

namespace kiln {

/// "(void(*)(float* out, int n))any" of the kernel `any`: with its parameters, which the text declares, a
/// name cannot be taken for a function that the compiler has built in. Absent where the text has no kernel of
/// that name, or several, or where the name is more than an identifier.
[[nodiscard]] std::optional<std::string> kernel_cast(const Specialization& specialization,
                                                     const std::string& name_expression);

}  // namespace kiln
