#pragma once

#include <string>
#include <vector>

#include "record/record.h"
#include "report/text_table.h"

namespace kiln {

/// "stencil7 · cpu: AMD EPYC 7B13, 2 cores · g++ 12.2.0".
[[nodiscard]] std::string run_heading(const std::vector<Record>& records, const TextStyle& style);

/// "6 variants: 6 ok · 3 compiled, 0 from disk, 9 from memory · best: block_x=256 (26.1 GB/s)". The best is
/// by the workload's first metric, or by time where it has none; an unchecked one is the best, and says so,
/// only where no measured one is ok. It is left out where fewer than two were measured.
[[nodiscard]] std::string summary_line(const std::vector<Record>& records, const TextStyle& style);

/// "ppwi=64 (7.83 ms)": the best of those that were measured, as in the summary; empty if none was.
[[nodiscard]] std::string best_text(const std::vector<Record>& records, const TextStyle& style);

/// A paragraph for each variant that failed or is wrong, which says why: the worst index, both values and the
/// tolerance; the compiler's log. Empty if there is none.
[[nodiscard]] std::string problem_paragraphs(const std::vector<Record>& records, const TextStyle& style);

/// "unchecked: nothing shows that the results of 3 of 12 are right: the workload has no check (`verify`)";
/// empty if no record is unchecked.
[[nodiscard]] std::string unchecked_remark(const std::vector<const Record*>& records);

}  // namespace kiln
