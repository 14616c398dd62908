#pragma once

#include <memory>
#include <string>

#include "base/file.h"
#include "ranks/transport.h"

namespace kiln {

/// Opens the plug-in and starts MPI, in the thread that all further calls come from. Throws environment_error
/// with the places where the plug-in was looked for, or the reason why it does not work.
[[nodiscard]] std::unique_ptr<RankTransport> open_mpi(const std::string& stated, FileSystem& files);

}  // namespace kiln
