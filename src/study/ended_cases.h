#pragma once

#include <string>
#include <vector>

#include "record/record.h"
#include "study/study_runner.h"

namespace kiln {

/// Cases, from the records beside a study's file, that ended the process while the study `run_id` ran, or
/// never ended: they do not run again.
[[nodiscard]] EndedCases find_ended_cases(const StudyPlan& plan, const std::vector<Record>& kept,
                                          const std::string& run_id);

}  // namespace kiln
