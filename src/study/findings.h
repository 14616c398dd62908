#pragma once

#include "study/case_data.h"

namespace kiln {

/// The results of a study of one device, from the measured rounds.
[[nodiscard]] StudyResult find_effects(const DeviceCases& cases, const DeviceData& data);

}  // namespace kiln
