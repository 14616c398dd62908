#pragma once

#include <vector>

#include "study/case_data.h"

namespace kiln {

/// For each choice of switches: the generic kernels compiled ahead, the fastest instance compiled ahead, and
/// the kernel with all constants in each way that was measured. A choice with fewer than two curves has
/// nothing to compare and is left out.
[[nodiscard]] std::vector<Amortisation> amortise(const DeviceCases& cases, const DeviceData& data);

}  // namespace kiln
