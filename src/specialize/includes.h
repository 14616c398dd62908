#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "specialize/specialization.h"

namespace kiln {

/// Finds the headers that a kernel text includes, transitively, in the order of first inclusion: "name"
/// beside the including file and then in `directories`; <name> in `directories` only. What is not found there
/// is the compiler's business (a system header, or a mistake that the compiler reports with its line).
/// Headers under "kiln/" are Kiln's own.
[[nodiscard]] std::vector<IncludedHeader> find_includes(
    FileSystem& files, const std::string& text, const std::filesystem::path& source,
    const std::vector<std::filesystem::path>& directories);

}  // namespace kiln
