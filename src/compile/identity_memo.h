#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/file.h"
#include "base/log.h"

namespace kiln {

/// "<resolved path>\t<size>\t<modified>" of a compiler's program or library: changes whenever it is replaced.
/// Empty if it cannot be examined.
[[nodiscard]] std::string program_stamp(const std::string& path, FileSystem& files);

/// What `remember_identity` stored under this stamp; absent is fine, since a compiler can always be asked
/// again. A memo, or its folder, that somebody else may have written is passed over, as a cache's entry is.
[[nodiscard]] std::optional<std::string> recall_identity(const std::filesystem::path& memo,
                                                         const std::string& stamp, FileSystem& files);

/// Replaces the memo by one line: a machine has one such compiler at a time, and an old stamp never returns.
/// An empty path is no memo, and none is written into a folder that is not trusted; a failure is only logged.
void remember_identity(const std::filesystem::path& memo, const std::string& stamp,
                       const std::string& identity, FileSystem& files, Log& log);

}  // namespace kiln
