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

/// What g++ and clang++ read from their environment: where headers, libraries and their own parts lie,
/// options of clang's, the date that __DATE__ gives.
inline constexpr std::array<const char*, 8> kCompilerVariables = {
    "CPATH",        "CPLUS_INCLUDE_PATH", "GCC_EXEC_PREFIX",      "COMPILER_PATH",
    "LIBRARY_PATH", "SOURCE_DATE_EPOCH",  "CCC_OVERRIDE_OPTIONS", "GCC_COMPARE_DEBUG"};

struct CpuCompilerOptions {
  std::string program;  ///< path or name of the compiler; empty: the first of g++, clang++, c++ in PATH
  std::filesystem::path scratch;        ///< private files of a compile go below it and are removed again
  std::filesystem::path identity_memo;  ///< where the compiler's version is remembered; empty: nowhere
  std::chrono::milliseconds time_limit{120'000};  ///< of one compile
  bool baseline = false;  ///< for any machine of the architecture, as distributions build, not for this one
  /// Variables of the environment that change what the compiler does, those of kCompilerVariables that are
  /// set.
  std::map<std::string, std::string> environment = {};
};

/// Compiles CUDA-dialect text to a shared object with the host's C++ compiler, in a subprocess. Nothing is
/// looked for before the first call, so that a machine without a compiler can still run what is in the cache.
/// The references must outlive the result.
[[nodiscard]] std::unique_ptr<Compiler> make_cpu_compiler(CpuCompilerOptions options,
                                                          ProcessRunner& processes, FileSystem& files,
                                                          Log& log);

}  // namespace kiln
