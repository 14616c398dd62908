#pragma once

#include <string>
#include <vector>

#include "job/explain_job.h"
#include "report/text_table.h"

namespace kiln {

/// "hit", "miss", "damaged" or "not kept".
[[nodiscard]] const char* answer_of(const ExplainedUnit& unit);

/// A row for each unit, all of one target: the cache's answer and, for a miss, the differences from the
/// nearest entry.
[[nodiscard]] TextTable explanation_table(const std::vector<ExplainedUnit>& units);

/// "3 hits, 1 miss".
[[nodiscard]] std::string explanation_summary(const std::vector<ExplainedUnit>& units);

/// The code that was left out of the units' texts, a line for each text.
[[nodiscard]] std::string left_out_lines(const std::vector<ExplainedUnit>& units);

/// An array with an object for each unit, on one line without its end; bytes that are not UTF-8 become
/// U+FFFD.
[[nodiscard]] std::string explanation_to_json(const std::vector<ExplainedUnit>& units);

}  // namespace kiln
