#pragma once

#include <nlohmann/json.hpp>

#include "record/study_results.h"

namespace kiln {

/// A study as page_data_json() has it: the time of each case, the speed-ups (constants, combinations,
/// switches, controls), and for each choice of switches the amortisation: the time that the generic kernel
/// compiled ahead needs for so many launches over the time of each other way, all that came before the first
/// launch counted. What is not finite is left out.
[[nodiscard]] nlohmann::ordered_json page_study_json(const StudyReport& report);

}  // namespace kiln
