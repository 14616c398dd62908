#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/file.h"
#include "base/log.h"

namespace kiln {

/// "<resolved path>\t<size>\t<modified>" of a compiler's program or library: it changes whenever the file is
/// replaced. Empty if the file cannot be examined.
[[nodiscard]] std::string program_stamp(const std::string& path, FileSystem& files);

/// The text that `remember_identity` stored under this stamp. If it is absent, the compiler is asked again. A
/// memo, or a folder, that another user may have written is ignored, like a cache entry.
[[nodiscard]] std::optional<std::string> recall_identity(const std::filesystem::path& memo,
                                                         const std::string& stamp, FileSystem& files);

/// Replaces the memo by one line: a machine has one such compiler at a time, and an old stamp never returns.
/// An empty path means no memo. No memo is written into a folder that is not trusted; a failure is only
/// logged.
void remember_identity(const std::filesystem::path& memo, const std::string& stamp,
                       const std::string& identity, FileSystem& files, Log& log);

}  // namespace kiln
