#pragma once

#include <string>

#include "record/record.h"

namespace kiln {

/// Version of the form of a record; goes up when a reader of the old form would misread the new.
inline constexpr int kRecordFormat = 1;

/// Everything a record holds as one line of JSON without the line end: the form is
/// schemas/record.schema.json. Times are in seconds, sizes in bytes. What is not known is null. Numbers that
/// JSON lacks are the words "nan", "inf" and "-inf"; bytes that are not UTF-8 (in a compiler's log) become
/// U+FFFD.
[[nodiscard]] std::string record_to_json(const Record& record);

}  // namespace kiln
