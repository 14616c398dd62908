#pragma once

#include <vector>

#include "record/study_results.h"
#include "report/page_plots.h"

namespace kiln {

/// Pictures of a study on one device: the time of each case, the speed-ups (constants, combinations,
/// switches, controls), and for each choice of switches the amortisation: the time that the generic kernel
/// compiled ahead needs for so many launches over the time of each other way, all that came before the first
/// launch counted. What a study does not have is left out.
[[nodiscard]] std::vector<Plot> study_plots(const StudyReport& report);

}  // namespace kiln
