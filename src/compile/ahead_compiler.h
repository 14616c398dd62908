#pragma once

#include <string>

#include "compile/compiler.h"

namespace kiln {

/// The compiler that programs are built with ahead of time for a back end, beside the one that Kiln calls at
/// run time.
struct AheadCompiler {
  std::string name;  ///< "nvcc", "hipcc"; "baseline", of the CPU, for any machine of its architecture
  Compiler* compiler = nullptr;  ///< null where it is not there
  std::string problem;           ///< then: where it was looked for and what to install
};

}  // namespace kiln
