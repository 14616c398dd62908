#pragma once

#include <vector>

#include "record/study_reader.h"
#include "study/study_runner.h"

namespace kiln {

/// What a study that was just measured would tell from its file, for the views of `report`: one for each
/// device. `kiln study` and `kiln report` so show the same.
[[nodiscard]] std::vector<StudyReport> reports_of(const StudyPlan& plan, const StudyOutcome& outcome,
                                                  const StudyHeader& header);

}  // namespace kiln
