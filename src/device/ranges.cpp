#include "device/ranges.h"

#include "base/environment.h"
#include "device/cuda/nvtx_abi.h"
#include "device/cuda/nvtx_ranges.h"
#include "device/hip/roctx_ranges.h"

namespace kiln {

std::vector<std::unique_ptr<RangeSink>> find_range_sinks(Log& log) {
  std::vector<std::unique_ptr<RangeSink>> sinks;
  if (const auto path = read_environment(nvtx_abi::kPathVariable)) {
    NvtxRanges ranges = open_nvtx_ranges(*path);
    if (ranges.sink)
      sinks.push_back(std::move(ranges.sink));
    else
      log.warn("no NVTX ranges: " + ranges.problem);
  }
  if (auto roctx = find_roctx_ranges()) sinks.push_back(std::move(roctx));
  return sinks;
}

}  // namespace kiln
