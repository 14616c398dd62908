#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/log.h"
#include "base/process.h"

namespace kiln {

/// A C++ compiler of this machine.
struct HostCompiler {
  std::string path;     ///< the path that is run
  std::string name;     ///< "g++" or "clang++", from its own answer
  std::string version;  ///< the first line of its answer to --version
  [[nodiscard]] bool clang() const { return name == "clang++"; }
};

/// Finds the program `wanted` (a path or a name) or, if that is empty, the first of g++, clang++ and c++ in
/// PATH. Its version is asked for once and then kept in the file `memo` (unless that is empty) as long as the
/// program's resolved path, size and modification time do not change, so a warm start spawns no process.
/// Throws environment_error with the names that were searched and what to install.
[[nodiscard]] HostCompiler find_host_compiler(const std::string& wanted, const std::filesystem::path& memo,
                                              ProcessRunner& processes, FileSystem& files, Log& log);

/// The compiler's own folders of headers, in order, without the variables CPATH and CPLUS_INCLUDE_PATH. They
/// are kept in another file `memo` in the same way. Empty if the compiler does not report them.
[[nodiscard]] std::vector<std::filesystem::path> find_header_folders(const HostCompiler& compiler,
                                                                     const std::filesystem::path& memo,
                                                                     ProcessRunner& processes,
                                                                     FileSystem& files, Log& log);

}  // namespace kiln
