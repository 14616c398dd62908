#pragma once

#include <map>
#include <string>

#include "compile/compiler.h"
#include "specialize/specialization.h"

namespace kiln {

/// A code object that `compiler` made, looked into: it is for the ISA that was asked for, has every kernel
/// under its lowered name, and wavefronts as wide as kiln::warp_size said. Lowered names that `compiler` did
/// not tell are found among the object's symbols.
[[nodiscard]] CompileResult hip_product(const std::string& compiler, CodeObject object,
                                        const Specialization& specialization);

}  // namespace kiln
