#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "base/file.h"
#include "base/log.h"
#include "base/process.h"
#include "compile/compiler.h"

namespace kiln {

/// The variables that g++ and clang++ read from their environment: folders of headers, of libraries and of
/// their own parts, options of clang, the date for __DATE__.
inline constexpr std::array<const char*, 8> kCompilerVariables = {
    "CPATH",        "CPLUS_INCLUDE_PATH", "GCC_EXEC_PREFIX",      "COMPILER_PATH",
    "LIBRARY_PATH", "SOURCE_DATE_EPOCH",  "CCC_OVERRIDE_OPTIONS", "GCC_COMPARE_DEBUG"};

struct CpuCompilerOptions {
  std::string program;  ///< path or name of the compiler; empty: the first of g++, clang++, c++ in PATH
  std::filesystem::path scratch;        ///< private files of a compile go below it and are removed again
  std::filesystem::path identity_memo;  ///< where the compiler's version is remembered; empty: nowhere
  std::chrono::milliseconds time_limit{120'000};  ///< for one compile
  bool baseline = false;  ///< code for any machine of the architecture, as in distributions, not for this one
  /// The variables of kCompilerVariables that are set in the environment; they change the compiler's work.
  std::map<std::string, std::string> environment = {};
};

/// Compiles CUDA-dialect text to a shared object with the host's C++ compiler, in a subprocess. It searches
/// for the compiler at the first call, so a machine without a compiler can still run cached code. The
/// references must outlive the result.
[[nodiscard]] std::unique_ptr<Compiler> make_cpu_compiler(CpuCompilerOptions options,
                                                          ProcessRunner& processes, FileSystem& files,
                                                          Log& log);

}  // namespace kiln
