#pragma once

#include <chrono>
#include <string>

#include "base/process.h"
#include "compile/compiler.h"

namespace kiln {

/// A compiler that is a program, for messages.
struct CompilerProgram {
  std::string what;  ///< "the C++ compiler", "nvcc"
  std::string path;
  std::chrono::milliseconds time_limit{0};
};

/// What became of a compile by such a program that did not succeed; `source_name` is the user's file. The
/// command is left to the caller.
[[nodiscard]] Diagnostic process_diagnosis(const ProcessResult& result, const CompilerProgram& program,
                                           const std::string& source_name);

}  // namespace kiln
