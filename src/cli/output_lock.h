#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/folder_lock.h"
#include "cli/world.h"
#include "config/shard.h"

namespace kiln {

/// Holds an output folder, or a shard's files in it, for this command: alone, or with others that append to
/// the same records. A run that resumes waits until another has ended; otherwise throws bad_input if an
/// incompatible holder exists. Null for no folder.
[[nodiscard]] std::unique_ptr<FolderLock> lock_output(World& world, const std::filesystem::path& folder,
                                                      const Shard& shard, bool resume,
                                                      FolderLock::Kind kind = FolderLock::Kind::kExclusive);

/// The lock's name, also that of `kiln merge`.
[[nodiscard]] std::string output_lock_name(const std::string& ending);

}  // namespace kiln
