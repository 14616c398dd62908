#pragma once

#include <map>
#include <string>

#include "compile/compiler.h"
#include "specialize/specialization.h"

namespace kiln {

/// Checks a code object that `compiler` made: it is for the requested ISA, has every kernel under its lowered
/// name, and has wavefronts as wide as kiln::warp_size said. Lowered names that `compiler` did not report are
/// found among the object's symbols.
[[nodiscard]] CompileResult hip_product(const std::string& compiler, CodeObject object,
                                        const Specialization& specialization);

}  // namespace kiln
