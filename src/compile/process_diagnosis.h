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

/// The diagnosis of a failed compile by such a program; `source_name` is the user's file. The caller fills in
/// the command.
[[nodiscard]] Diagnostic process_diagnosis(const ProcessResult& result, const CompilerProgram& program,
                                           const std::string& source_name);

}  // namespace kiln
