#pragma once

#include <memory>

#include "base/trace.h"

namespace kiln {

/// Ranges for a profiler of AMD's. Its roctx library is taken only where the process has it loaded already,
/// as rocprofv3 does (it preloads the library), or a program that links it; null otherwise.
[[nodiscard]] std::unique_ptr<RangeSink> find_roctx_ranges();

}  // namespace kiln
