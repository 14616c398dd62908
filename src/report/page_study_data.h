#pragma once

#include <nlohmann/json.hpp>

#include "record/study_results.h"

namespace kiln {

/// A study for page_data_json(): the time of each case, the speed-ups (constants, combinations, switches,
/// controls), and for each choice of switches the amortisation. Amortisation is the time that the generic
/// kernel compiled ahead needs for a number of launches, over the time of each other way; the costs before
/// the first launch count. Values that are not finite are left out.
[[nodiscard]] nlohmann::ordered_json page_study_json(const StudyReport& report);

}  // namespace kiln
