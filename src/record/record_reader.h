#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/log.h"
#include "record/record.h"

namespace kiln {

/// The record that `record_to_json` wrote; what the form does not hold (a device's limits) has its default.
/// Throws bad_input with file, line, key, what was expected and what was found.
[[nodiscard]] Record record_from_json(const std::string& line, const std::string& file, int line_number);

/// What the line of every record begins with, and holds nowhere else.
inline constexpr std::string_view kRecordBeginning = R"({"format":)";

/// All records of the files, in that order. A line that a crash cut off is a warning with its place. Throws
/// bad_input for a file that is not there and any other line that is no record.
[[nodiscard]] std::vector<Record> read_records(FileSystem& files,
                                               const std::vector<std::filesystem::path>& paths, Log& log);

}  // namespace kiln
