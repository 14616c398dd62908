#pragma once

#include <filesystem>
#include <vector>

#include "base/file.h"

namespace kiln {

/// The files that results were kept in, in the order in which they were named.
struct ResultFiles {
  std::vector<std::filesystem::path> records, studies;
};

/// Of a folder each `records.jsonl`, `records-*.jsonl` and `study.jsonl` in it and below, sorted; a file by
/// what it holds. Throws bad_input for a path that is not there and for a folder without results.
[[nodiscard]] ResultFiles find_result_files(FileSystem& files,
                                            const std::vector<std::filesystem::path>& paths);

}  // namespace kiln
