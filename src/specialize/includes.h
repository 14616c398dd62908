#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "specialize/specialization.h"

namespace kiln {

/// What the #include lines of a kernel text lead to.
struct Includes {
  std::vector<IncludedHeader> headers;  ///< transitive, in order of first inclusion
  std::vector<std::string> unseen;      ///< names that were not found, sorted: the compiler's business
};

/// Finds the headers that a kernel text includes: "name" beside the including file and then in `directories`;
/// <name> in `directories` only. What is not found there is a header of the compiler, or a mistake that the
/// compiler reports with its line. Headers under "kiln/" are Kiln's own. A name that is a macro is not
/// followed.
[[nodiscard]] Includes find_includes(FileSystem& files, const std::string& text,
                                     const std::filesystem::path& source,
                                     const std::vector<std::filesystem::path>& directories);

}  // namespace kiln
