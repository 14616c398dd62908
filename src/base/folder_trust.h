#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"

namespace kiln {

/// Whether machine code in a file or folder of this owner may be run: one's own, and root's.
[[nodiscard]] bool is_trusted_owner(std::uint32_t owner);

/// Users whose files may be run; empty: all users.
using TrustedOwners = std::vector<std::uint32_t>;

/// Why machine code must not be run from a file with this status: it belongs to another user than these, or
/// anyone may write to it. One clause without a subject; `nullopt` if it is fine.
[[nodiscard]] std::optional<std::string> find_distrust(const FileStatus& status, const TrustedOwners& owners);

/// The owners that a folder may have: oneself and root, or any user, because the user named the folder.
enum class FolderOwners { kTrusted, kAny };

/// Why machine code from below `folder` must not be run: it is not a directory, belongs to another user, or
/// anyone may write to it and it is not sticky. One clause without a full stop; `nullopt` if it is fine or
/// does not exist. A symbolic link to the folder is followed: the user chose it; what counts is the folder it
/// leads to.
[[nodiscard]] std::optional<std::string> find_distrust(FileSystem& files, const std::filesystem::path& folder,
                                                       FolderOwners owners = FolderOwners::kTrusted);

}  // namespace kiln
