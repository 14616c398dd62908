#include "device/cpu/device_launches.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "device/cpu/fault_sink.h"

namespace kiln {
namespace {

/// What is wrong with the blocks of a launch; empty if nothing is.
std::string fault_of_blocks(const cpu_abi::DeviceLaunch& launch) {
  const std::uint64_t work_items = volume(launch.block);
  if (volume(launch.grid) > 0 && work_items > 0 && work_items <= 1024) return "";
  return "a kernel launches '" + std::string(launch.kernel.name) + "' with " +
         std::to_string(volume(launch.grid)) + " blocks of " + std::to_string(work_items) +
         " work-items; the cpu takes at least one block of 1 to 1024";
}

}  // namespace

DeviceLaunches::~DeviceLaunches() {
  for (const cpu_abi::DeviceLaunch& launch : launches_) launch.release(launch.owner);
}

void DeviceLaunches::add(DeviceLaunches&& others) {
  launches_.insert(launches_.end(), others.launches_.begin(), others.launches_.end());
  others.launches_.clear();
}

void DeviceLaunches::run_all(FaultSink& faults, const RunGrid& run_grid) {
  DeviceLaunches stack;  // the next one is the last
  const auto put = [&](DeviceLaunches& launched) {
    std::vector<cpu_abi::DeviceLaunch>& all = launched.launches_;
    std::stable_partition(all.begin(), all.end(),
                          [](const cpu_abi::DeviceLaunch& launch) { return !launch.last; });
    stack.launches_.insert(stack.launches_.end(), all.rbegin(), all.rend());
    all.clear();
  };
  put(*this);
  while (!stack.empty() && !faults.raised()) {
    DeviceLaunches current;
    current.add(stack.launches_.back());
    stack.launches_.pop_back();
    const cpu_abi::DeviceLaunch& one = current.launches_.front();
    FaultSink of_grid;
    if (std::string fault = fault_of_blocks(one); !fault.empty())
      of_grid.raise(std::move(fault));
    else
      run_grid(one.kernel, {one.grid, one.block, one.arguments, {1, 1, 1}}, one.dynamic_shared_bytes,
               of_grid);
    if (of_grid.raised()) faults.raise(of_grid.message());
    put(of_grid.launches());
  }
}

}  // namespace kiln
