#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "ranks/transport.h"

namespace kiln {

/// Where libkiln_mpi.so is looked for: the file that the setting names, else beside the program or library
/// and in the folder where an installation has it.
[[nodiscard]] std::vector<std::string> mpi_plugin_candidates(const std::string& stated);

/// Opens the plug-in and begins MPI, in the thread that all further calls come from. Throws environment_error
/// that says where the plug-in was looked for, or what is wrong with it.
[[nodiscard]] std::unique_ptr<RankTransport> open_mpi(const std::string& stated, FileSystem& files);

}  // namespace kiln
