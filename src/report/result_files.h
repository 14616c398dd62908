#pragma once

#include <filesystem>
#include <vector>

#include "base/file.h"

namespace kiln {

/// The files of kept results, in the order in which they were named.
struct ResultFiles {
  std::vector<std::filesystem::path> records, studies;
};

/// For a folder: each `records.jsonl`, `records-*.jsonl` and `study.jsonl` in it and below, sorted. A file is
/// classified by its content. Throws bad_input for a path that does not exist and for a folder without
/// results.
[[nodiscard]] ResultFiles find_result_files(FileSystem& files,
                                            const std::vector<std::filesystem::path>& paths);

}  // namespace kiln
