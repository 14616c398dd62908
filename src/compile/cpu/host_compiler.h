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
  std::string path;     ///< as found; what is run
  std::string name;     ///< "g++" or "clang++", by what it says of itself
  std::string version;  ///< its first line of --version
  [[nodiscard]] bool clang() const { return name == "clang++"; }
};

/// The program `wanted` (a path or a name), or, if that is empty, the first of g++, clang++ and c++ in PATH.
/// Its version is asked once and then remembered in the file `memo` (none if empty) for as long as the
/// program's resolved path, size and modification time stay the same, so that a warm start spawns nothing.
/// Throws environment_error saying what was looked for and what to install.
[[nodiscard]] HostCompiler find_host_compiler(const std::string& wanted, const std::filesystem::path& memo,
                                              ProcessRunner& processes, FileSystem& files, Log& log);

/// Where it looks for headers by itself, in order, without the variables CPATH and CPLUS_INCLUDE_PATH;
/// remembered in a file `memo` of its own, likewise. Empty if it does not say.
[[nodiscard]] std::vector<std::filesystem::path> find_header_folders(const HostCompiler& compiler,
                                                                     const std::filesystem::path& memo,
                                                                     ProcessRunner& processes,
                                                                     FileSystem& files, Log& log);

}  // namespace kiln
