#pragma once

#include <optional>
#include <string>

#include "specialize/specialization.h"

namespace kiln {

/// "(void(*)(float* out, int n))any" for the kernel `any`: with the parameters that the text declares, the
/// compiler cannot mistake the name for a built-in function or for another declaration of it. A template of
/// the name counts only if no other kernel has it. Absent if the text has no kernel of that name or several,
/// or if the name is more than an identifier.
[[nodiscard]] std::optional<std::string> kernel_cast(const Specialization& specialization,
                                                     const std::string& name_expression);

}  // namespace kiln
