#pragma once

#include <string>

#include "compile/compiler.h"

namespace kiln {

/// The compiler that builds programs ahead of time for a back end, as a comparison for the compiler that Kiln
/// calls at run time.
struct AheadCompiler {
  std::string name;  ///< "nvcc", "hipcc"; on the cpu "baseline": code for any machine of the architecture
  Compiler* compiler = nullptr;  ///< null if the machine does not have it
  std::string problem;           ///< if null: the places that were searched and what to install
};

}  // namespace kiln
