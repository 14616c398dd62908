#pragma once

#include <string>
#include <vector>

#include "record/record.h"
#include "report/text_table.h"

namespace kiln {

/// "stencil7 · cpu: AMD EPYC 7B13, 2 cores · g++ 12.2.0".
[[nodiscard]] std::string run_heading(const std::vector<Record>& records, const TextStyle& style);

/// "6 variants: 6 ok · 3 compiled, 0 from disk, 9 from memory · best: block_x=256 (26.1 GB/s)". The best is
/// chosen by the workload's first metric, or by time for a workload without metrics. An unchecked record is
/// the best, and is marked so, only if no measured record is ok. The best is left out if fewer than two were
/// measured.
[[nodiscard]] std::string summary_line(const std::vector<Record>& records, const TextStyle& style);

/// "ppwi=64 (7.83 ms)": the best measured record, as in the summary; empty if none was measured.
[[nodiscard]] std::string best_text(const std::vector<Record>& records, const TextStyle& style);

/// A paragraph for each variant that failed or is wrong, with the reason: the worst index, both values and
/// the tolerance; the compiler's log. Empty if there is no such variant.
[[nodiscard]] std::string problem_paragraphs(const std::vector<Record>& records, const TextStyle& style);

/// "unchecked: nothing shows that the results of 3 of 12 are right: the workload has no check (`verify`)";
/// empty if no record is unchecked.
[[nodiscard]] std::string unchecked_remark(const std::vector<const Record*>& records);

}  // namespace kiln
