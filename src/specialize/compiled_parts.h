#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "specialize/includes.h"
#include "specialize/specialization.h"

namespace kiln {

/// Code with kernels that no compiler reads: a branch of a conditional, or a header.
struct LeftOutPart {
  std::string text;
  std::string why;      ///< "nothing defines X (-D X)"; empty for `#if 0`
  bool header = false;  ///< it does not stand in the program's own text
  std::string remedy;   ///< the one macro with which it is compiled: "X", "SIZE=4"; empty if not one
};

/// What is left of a program's texts where the conditions of the preprocessor are known. The text and the
/// headers that it includes are read in the order in which a compiler reads them. Where a condition depends
/// on the compiler (`__CUDA_ARCH__`) all branches stay.
struct CompiledParts {
  /// Branches that are not compiled are blank, and so are the directives of conditionals of which one branch
  /// stays; headers that are included in such branches alone are left out. Lines stay where they are.
  Includes includes;
  std::vector<LeftOutPart> left_out;
  std::set<std::string> names;  ///< in the texts, and in conditions that were read
};

/// As a draft reads a program: one with headers of CUDA and of HIP is read as nvcc reads it. `defines`:
/// macros of the compiler's command line; `in_front`: names of headers that are read before the text.
[[nodiscard]] CompiledParts compiled_parts(const Includes& includes,
                                           const std::vector<std::pair<std::string, std::string>>& defines,
                                           const std::vector<std::string>& in_front = {});

/// Of a unit, with the macros of its options. Compilers read its whole text; this is for what Kiln concludes
/// from it.
[[nodiscard]] CompiledParts compiled_parts(const Specialization& specialization);

}  // namespace kiln
