#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/record.h"
#include "report/text_table.h"

namespace kiln {

/// One row for each record: what varies, how it ended, where its code came from, median time of a step with
/// the half width of its confidence interval, the workload's metrics, the largest relative error that a check
/// found. Records of one job.
[[nodiscard]] TextTable record_table(const std::vector<Record>& records, const TextStyle& style);

/// The label, or the workload's name where nothing is swept; with the device where several are compared.
[[nodiscard]] std::string variant_name(const Record& record);

/// Of the status: only kOk is good.
[[nodiscard]] Tone tone_of(RunStatus status);

/// "compiled 63 ms", "disk", "2 compiled 120 ms, 1 memory".
[[nodiscard]] std::string origin_text(const Record& record);

/// "1.23 ms ± 0.02": the median and half its confidence interval, in the unit of the median.
[[nodiscard]] std::string time_text(const Summary& seconds, const TextStyle& style);

/// Four significant digits, for people.
[[nodiscard]] std::string short_number(double value);

}  // namespace kiln
