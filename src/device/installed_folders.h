#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"

namespace kiln {

/// Appends `folder` if it exists and is not in the list yet.
void add_existing(std::vector<std::filesystem::path>& folders, const std::filesystem::path& folder,
                  FileSystem& files);

/// Entries of `folder` that start with `prefix`, sorted with the largest name first, which is the newest
/// version.
[[nodiscard]] std::vector<std::filesystem::path> entries_starting_with(const std::filesystem::path& folder,
                                                                       const std::string& prefix,
                                                                       FileSystem& files);

/// The parts of a list variable such as PATH; empty if it is not set.
[[nodiscard]] std::vector<std::string> read_list_variable(const char* variable);

/// The values of those variables that are set.
[[nodiscard]] std::vector<std::string> read_variables(const std::vector<const char*>& variables);

/// Appends the folders where distributions keep shared libraries, if they exist.
void add_system_folders(std::vector<std::filesystem::path>& folders, FileSystem& files);

}  // namespace kiln
