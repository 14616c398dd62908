#pragma once

#include <string>
#include <vector>

#include "record/record.h"

namespace kiln {

/// Records as flat CSV (RFC 4180: CRLF, quoted where needed) with a header line: fixed columns, then
/// `param.<name>` and `bind.<name>` for each parameter, `metric.<name>` for each metric and
/// `<kernel>.median_seconds` for each launch. A value that a record lacks is an empty field. Logs are left
/// out; values that do not fit a column are in the JSON alone.
[[nodiscard]] std::string records_to_csv(const std::vector<Record>& records);

/// A printable field by RFC 4180 that a spreadsheet reads as data: text that begins with = + - @ or a tab,
/// and is not a number, gets an apostrophe in front.
[[nodiscard]] std::string csv_field(const std::string& value);
/// A line of these fields, with its end.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& fields, const char* end = "\r\n");

}  // namespace kiln
