#pragma once

#include <string>
#include <vector>

#include "tune/tuner.h"
#include "wisdom/wisdom_record.h"

namespace kiln {

/// The results of a search as wisdom (wisdom/wisdom_file.h), for each size: the points that were measured
/// beside each other at the end, or the only measured one. Left out are points that differ from the default
/// in fast_math, which changes results, searches over input files or for two objectives, and a workload
/// inside its job. `today` as in WisdomOrigin::date.
[[nodiscard]] std::vector<WisdomRecord> found_wisdom(const TuneTask& task, const TuneResult& result,
                                                     const std::string& today);

}  // namespace kiln
