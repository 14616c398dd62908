#pragma once

#include "study/code_costs.h"

namespace kiln {

/// Measures `repeats` times how a step of `own` begins in the background, by the very calls of the service
/// that KernelRequest::background makes: generic code runs at once and again and again, while a thread gets
/// the case's own code for what nobody waits for; then that runs. Once with nothing in any cache, the generic
/// code compiled at the compiler's quick options, and once with the generic code on disk. A step of several
/// units swaps when the last one is there. `generic` has the same values; where its code is the same, there
/// is nothing to measure, and nothing is where a compile fails.
[[nodiscard]] std::map<FirstWay, FirstTimes> measure_background(const Variant& own, const Variant& generic,
                                                                const CodeMeasurement& how, Trial& trial);

}  // namespace kiln
