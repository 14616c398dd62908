#pragma once

#include <string>

#include "report/text_table.h"
#include "study/study_runner.h"

namespace kiln {

/// One row for each case: status, median of a step with half its interval, speed-up against the generic case
/// of the same switches, compile cold, out of the disk cache, load, and what the machine code uses.
[[nodiscard]] TextTable case_table(const DeviceCases& cases, const DeviceResult& result,
                                   const TextStyle& style);

/// The table and the findings as sentences, for a terminal.
[[nodiscard]] std::string study_text(const StudyPlan& plan, const StudyOutcome& outcome,
                                     const TextStyle& style);

}  // namespace kiln
