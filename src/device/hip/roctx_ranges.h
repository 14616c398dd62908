#pragma once

#include <memory>

#include "base/trace.h"

namespace kiln {

/// Ranges for a profiler of AMD's, where the process has a roctx library loaded: preloaded by the profiler,
/// or linked by the program. Null otherwise: without a profiler the library does nothing.
[[nodiscard]] std::unique_ptr<RangeSink> find_roctx_ranges();

}  // namespace kiln
