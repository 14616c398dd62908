#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "job/record.h"

namespace kiln {

/// The record that `record_to_json` wrote; what the form does not hold (a device's limits) has its default.
/// Throws bad_input with file, line, key, what was expected and what was found.
[[nodiscard]] Record record_from_json(const std::string& line, const std::string& file, int line_number);

/// All records of the files, in that order. Throws bad_input for a file that is not there and a line that is
/// no record.
[[nodiscard]] std::vector<Record> read_records(FileSystem& files,
                                               const std::vector<std::filesystem::path>& paths);

}  // namespace kiln
