#pragma once

#include <string>
#include <vector>

#include "record/record.h"

namespace kiln {

/// The ok records of one workload with the column names of the result files that Godoy et al. (2025) publish
/// with their paper, for their plotting scripts; docs/reports.md lists them. A line for each record (for
/// each routine of babelstream) holds the median; the published files have a line for each repetition. Throws
/// bad_input for records of several workloads, or of a workload that the paper does not have.
[[nodiscard]] std::string records_to_paper_csv(const std::vector<Record>& records);

}  // namespace kiln
