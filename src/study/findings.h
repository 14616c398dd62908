#pragma once

#include "study/case_data.h"

namespace kiln {

/// What a study of one device shows, by the rounds that were measured.
[[nodiscard]] StudyResult find_effects(const DeviceCases& cases, const DeviceData& data);

}  // namespace kiln
