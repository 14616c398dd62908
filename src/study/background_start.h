#pragma once

#include "study/code_costs.h"

namespace kiln {

/// Measures `repeats` times how a step of `own` begins in the background, with the service calls of
/// KernelRequest::background. Generic code runs repeatedly from the start, while a thread gets the case's own
/// code at the lowest priority; then that code runs. Measured once with empty caches, with the generic code
/// compiled at the compiler's quick options, and once with the generic code on disk. A step of several units
/// swaps when the last one is ready. `generic` has the same values. If its code is the same, or a compile
/// fails, nothing is measured.
[[nodiscard]] std::map<FirstWay, FirstTimes> measure_background(const Variant& own, const Variant& generic,
                                                                const CodeMeasurement& how, Trial& trial);

}  // namespace kiln
