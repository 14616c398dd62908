#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/log.h"
#include "base/process.h"
#include "compile/compiler.h"
#include "compile/rtc_unit.h"

namespace kiln {

/// The differences between the programs that compile for GPUs ahead of time (nvcc, hipcc).
struct CompilerRecipe {
  std::string name;                   ///< "nvcc"
  std::vector<std::string> programs;  ///< names and paths; the first that can be run is used
  std::string advice;                 ///< the places that were searched and what to install; a clause
  std::function<std::string(const std::string&)>
      version_in;  ///< finds the version in its answer to --version
  std::function<RtcUnit(const Specialization&)> make_unit;
  /// All options except for files and folders.
  std::function<std::vector<std::string>(const Specialization&)> options;
  std::string source_file;  ///< "unit.cu": the suffix chooses the language
  /// Makes the result from its output file and log, and checks lengths and kernels.
  std::function<CompileResult(std::string binary, std::string log, const Specialization&)> product;
  std::function<Target(const std::string& arch)> target_for;
};

struct ProgramCompilerOptions {
  std::filesystem::path scratch;        ///< private files of a compile are written below it and removed again
  std::filesystem::path identity_memo;  ///< file that keeps the program's version; empty: none
  std::chrono::milliseconds time_limit{120'000};  ///< for one compile; 0: no limit
};

/// A compiler that is a program: it gets the same unit as the run-time compiler, in files. It searches for
/// the program at the first call. The references outlive the result.
[[nodiscard]] std::unique_ptr<Compiler> make_program_compiler(CompilerRecipe recipe,
                                                              ProgramCompilerOptions options,
                                                              ProcessRunner& processes, FileSystem& files,
                                                              Log& log);

}  // namespace kiln
