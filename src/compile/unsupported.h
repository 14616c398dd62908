#pragma once

#include <string>

#include "specialize/specialization.h"

namespace kiln {

/// A sentence for a failed compile if its first error that stands in a text of the user is in a line with
/// something that Kiln does not have: `asm` of a GPU on the cpu, kernels that launch kernels on hip, texture
/// references. Empty for all other logs.
[[nodiscard]] std::string advice_on_unsupported(const Specialization& specialization, const std::string& log);

}  // namespace kiln
