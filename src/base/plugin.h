#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"

namespace kiln {

/// A library of Kiln's own that the program links only when it needs it: what it stands on (an MPI, libcurl)
/// need not be on every machine, nor be loaded by every command.
struct PluginKind {
  const char* name;    ///< "MPI plug-in", for messages
  const char* file;    ///< "libkiln_mpi.so"
  const char* symbol;  ///< its only symbol, a C function without arguments that returns its table
  std::uint32_t version;
  const char* built;    ///< "it is built where CMake finds an MPI, with -D KILN_MPI=ON"
  bool shares_symbols;  ///< what it stands on opens plug-ins of its own, which need its symbols
};

/// Where a plug-in is looked for: the file that a setting names, else beside the program or library and in
/// the folder where an installation has it.
[[nodiscard]] std::vector<std::string> plugin_candidates(const PluginKind& kind, const std::string& stated);

struct OpenedPlugin {
  std::string path;
  const void* table = nullptr;
};
/// Opens the first candidate that is there. The plug-in stays loaded: what it stands on has exit handlers.
/// Throws environment_error that says where it was looked for, or what is wrong with it. Every table begins
/// with its version, a uint32_t, which must be that of `kind`.
[[nodiscard]] OpenedPlugin open_plugin(const PluginKind& kind, const std::string& stated, FileSystem& files);

}  // namespace kiln
