#pragma once

#include <memory>
#include <vector>

#include "base/log.h"
#include "base/trace.h"

namespace kiln {

/// The profilers that this process runs under and that take ranges: NVIDIA's (NVTX) and AMD's (roctx). If a
/// requested one does not work, a warning says so.
[[nodiscard]] std::vector<std::unique_ptr<RangeSink>> find_range_sinks(Log& log);

}  // namespace kiln
