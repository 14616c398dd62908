#pragma once

#include <memory>

#include "base/trace.h"

namespace kiln {

/// Ranges for a profiler of AMD, if the process has a roctx library loaded: the profiler preloads it, or the
/// program links it. Null otherwise: without a profiler the library does nothing.
[[nodiscard]] std::unique_ptr<RangeSink> find_roctx_ranges();

}  // namespace kiln
