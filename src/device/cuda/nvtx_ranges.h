#pragma once

#include <memory>
#include <string>

#include "base/trace.h"

namespace kiln {

/// Ranges for the profiler whose injection library is `path`, in a domain "kiln" of NVTX, or one sentence
/// with the reason why there are none. A process has one such library: a later call with another path returns
/// the first library's ranges.
struct NvtxRanges {
  std::unique_ptr<RangeSink> sink;
  std::string problem;
};
[[nodiscard]] NvtxRanges open_nvtx_ranges(const std::string& path);

}  // namespace kiln
