#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"

namespace kiln {

/// Writes a unit's headers (name in the #include, text) below `folder`, for a compiler that reads files. A
/// name that leads out of the folder is left to the compiler's -I.
void write_unit_headers(FileSystem& files, const std::filesystem::path& folder,
                        const std::vector<std::pair<std::string, std::string>>& headers);

}  // namespace kiln
