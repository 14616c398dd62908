#pragma once

#include <vector>

#include "record/study_reader.h"
#include "study/study_runner.h"

namespace kiln {

/// The reports of a study that was just measured, as they would be read from its file: one for each device.
/// `kiln study` and `kiln report` therefore show the same.
[[nodiscard]] std::vector<StudyReport> reports_of(const StudyPlan& plan, const StudyOutcome& outcome,
                                                  const StudyHeader& header);

}  // namespace kiln
