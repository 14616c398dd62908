#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"

namespace kiln {

/// A library of Kiln that the program opens only when it needs it: its dependency (an MPI, libcurl) need not
/// be on every machine, nor be loaded by every command.
struct PluginKind {
  const char* name;    ///< "MPI plug-in", for messages
  const char* file;    ///< "libkiln_mpi.so"
  const char* symbol;  ///< its only symbol, a C function without arguments that returns its table
  std::uint32_t version;
  const char* built;    ///< "it is built where CMake finds an MPI, with -D KILN_MPI=ON"
  bool shares_symbols;  ///< its dependency opens plug-ins that need its symbols
};

/// The places for a plug-in: the file that a setting names, else beside the program or library and in the
/// installation's folder.
[[nodiscard]] std::vector<std::string> plugin_candidates(const PluginKind& kind, const std::string& stated);

struct OpenedPlugin {
  std::string path;
  const void* table = nullptr;
};
/// Opens the first existing candidate. The plug-in stays loaded: its dependency has exit handlers. Throws
/// environment_error with the places, or with what is wrong with it. Every table begins with its version, a
/// uint32_t, which must be that of `kind`.
[[nodiscard]] OpenedPlugin open_plugin(const PluginKind& kind, const std::string& stated, FileSystem& files);

}  // namespace kiln
