#pragma once

#include <string>
#include <string_view>

#include "record/record.h"

namespace kiln {

/// Version of the form of a record; goes up when a reader of the old form would misread the new.
inline constexpr int kRecordFormat = 1;

/// The beginning of every record's line, which occurs nowhere else in it.
inline constexpr std::string_view kRecordBeginning = R"({"format":)";

/// Everything a record holds as one line of JSON without the line end: the form is
/// schemas/record.schema.json, its rows are in record_fields.h. Times are in seconds, sizes in bytes. What is
/// not known is null. Numbers that JSON lacks are the words "nan", "inf" and "-inf"; bytes that are not UTF-8
/// (in a compiler's log) become U+FFFD.
[[nodiscard]] std::string record_to_json(const Record& record);

/// The record that any version of Kiln wrote in this format: members that are absent have their default, and
/// unknown ones are passed over. Throws bad_input with file, line, key, what was expected and what was found.
[[nodiscard]] Record record_from_json(const std::string& line, const std::string& file, int line_number);

/// Equal for records of the same variant: everything that decides its code and its times, as text.
[[nodiscard]] std::string variant_identity(const Record& record);

}  // namespace kiln
