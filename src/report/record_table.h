#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/record.h"
#include "report/text_table.h"

namespace kiln {

/// One row for each record: the varied values, the status, the origin of its code, the median time of a step
/// with the half width of its confidence interval, the workload's metrics, the largest relative error that a
/// check found. All records are of one job.
[[nodiscard]] TextTable record_table(const std::vector<Record>& records, const TextStyle& style);

/// The label, or the workload's name if nothing is swept; with the device if several are compared.
[[nodiscard]] std::string variant_name(const Record& record);

/// The tone of a status: only kOk is good.
[[nodiscard]] Tone tone_of(RunStatus status);

/// "compiled 63 ms", "disk", "2 compiled 120 ms, 1 memory".
[[nodiscard]] std::string origin_text(const Record& record);

/// "1.23 ms ± 0.02": the median and half its confidence interval, in the unit of the median.
[[nodiscard]] std::string time_text(const Summary& seconds, const TextStyle& style);

/// Four significant digits, for tables.
[[nodiscard]] std::string short_number(double value);

}  // namespace kiln
