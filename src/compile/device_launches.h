#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compile/outline.h"
#include "specialize/specialization.h"
#include "specialize/tokens.h"

namespace kiln {

/// Launches of kernels by kernels, `k<int><<<grid, block, shared, stream>>>(a, b)`, as calls of the shim's
/// kiln::cpu::DeviceLaunch (shim/device_launch.h). `waits` says of a name expression whether the
/// work-items of that kernel may wait for each other.
[[nodiscard]] std::vector<TextEdit> device_launch_edits(const Outline& text,
                                                        const std::function<bool(const std::string&)>& waits);

/// Whether code of the texts launches a kernel, in any branch, itself or by a macro.
[[nodiscard]] bool launches_from_kernels(const Specialization& specialization);

}  // namespace kiln
