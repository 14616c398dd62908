#pragma once

#include "specialize/specialization.h"

namespace kiln {

/// "c++20" if a text of the unit has what C++17 lacks, in a branch that may be compiled: members initialised
/// by name, concepts and `requires`, lambdas with a template head, `auto` parameters, `<=>`, consteval,
/// `float3(x, y, z)`, names and headers of the newer library. Else "c++17", which is what nvcc takes by
/// default, and whose headers compile faster.
[[nodiscard]] const char* language_version(const Specialization& specialization);

}  // namespace kiln
