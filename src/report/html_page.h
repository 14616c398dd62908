#pragma once

#include <string>
#include <vector>

#include "record/study_results.h"
#include "report/ceilings.h"
#include "report/portability.h"

namespace kiln {

/// What a page shows; `report` is the comparison of `records`. Any of it may be empty.
struct PageContent {
  const std::vector<Record>& records;
  const Portability& report;
  const std::vector<DeviceCeilings>& ceilings;
  const std::vector<StudyReport>& studies;
};

/// One page with all of it: each study with its pictures, the times of the variants with their intervals, a
/// heat map where two numbers were swept, a roofline for each device with ceilings, the comparison's tables,
/// and a table of the records. It needs nothing from elsewhere: style sheet and pictures are in it, there is
/// no script. Light or dark as the reader's system is.
[[nodiscard]] std::string html_page(const PageContent& content);

}  // namespace kiln
