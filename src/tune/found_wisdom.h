#pragma once

#include <string>
#include <vector>

#include "tune/tuner.h"
#include "wisdom/wisdom_record.h"

namespace kiln {

/// What a search has found as wisdom (wisdom/wisdom_file.h), for each size: the points that were measured
/// beside each other at the end, or the only one that was measured. None of points that differ from the
/// default in fast_math, which changes results, of searches over input files or for two objectives, and of a
/// workload that stands in its job. `today` as in WisdomOrigin::date.
[[nodiscard]] std::vector<WisdomRecord> found_wisdom(const TuneTask& task, const TuneResult& result,
                                                     const std::string& today);

}  // namespace kiln
