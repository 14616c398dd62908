#pragma once

#include <string>
#include <vector>

#include "record/record.h"

namespace kiln {

/// Records as flat CSV (RFC 4180: CRLF, quoted where needed) with a header line: fixed columns, then
/// `param.<name>` and `bind.<name>` for each parameter, `metric.<name>` for each metric and
/// `<kernel>.median_seconds` for each launch. What a record lacks is an empty field. Logs are left out;
/// everything else that does not fit a column is in the JSON.
[[nodiscard]] std::string records_to_csv(const std::vector<Record>& records);

/// A field as RFC 4180 wants it, printable, and data to a spreadsheet: text that begins with = + - @ or a
/// tab, and is no number, begins with an apostrophe.
[[nodiscard]] std::string csv_field(const std::string& value);
/// A line of these fields, and its end.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& fields, const char* end = "\r\n");

}  // namespace kiln
