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

/// Where the programs that compile for GPUs ahead of time (nvcc, hipcc) differ.
struct CompilerRecipe {
  std::string name;                   ///< "nvcc"
  std::vector<std::string> programs;  ///< names and paths, the first that can be run is taken
  std::string advice;                 ///< where it was looked for and what to install; a clause
  std::function<std::string(const std::string&)> version_in;  ///< what it answers to --version
  std::function<RtcUnit(const Specialization&)> make_unit;
  /// All options but those for files and folders.
  std::function<std::vector<std::string>(const Specialization&)> options;
  std::string source_file;  ///< "unit.cu": the ending tells the language
  /// From what it wrote and said; lengths and kernels are checked there.
  std::function<CompileResult(std::string binary, std::string log, const Specialization&)> product;
  std::function<Target(const std::string& arch)> target_for;
};

struct ProgramCompilerOptions {
  std::filesystem::path scratch;        ///< private files of a compile go below it and are removed again
  std::filesystem::path identity_memo;  ///< where the program's version is remembered; empty: nowhere
  std::chrono::milliseconds time_limit{120'000};  ///< of one compile; 0: none
};

/// A compiler that is a program: it is given the very unit that the run-time compiler gets, in files. Nothing
/// is looked for before the first call. The references outlive the result.
[[nodiscard]] std::unique_ptr<Compiler> make_program_compiler(CompilerRecipe recipe,
                                                              ProgramCompilerOptions options,
                                                              ProcessRunner& processes, FileSystem& files,
                                                              Log& log);

}  // namespace kiln
