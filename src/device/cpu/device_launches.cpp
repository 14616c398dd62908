#include "device/cpu/device_launches.h"

#include <algorithm>

namespace kiln {

DeviceLaunches::~DeviceLaunches() {
  for (const cpu_abi::DeviceLaunch& launch : launches_) launch.release(launch.owner);
}

void DeviceLaunches::add(DeviceLaunches&& others) {
  launches_.insert(launches_.end(), others.launches_.begin(), others.launches_.end());
  others.launches_.clear();
}

void DeviceLaunches::run_all(
    const std::function<bool(const cpu_abi::DeviceLaunch&, DeviceLaunches& launched)>& run) {
  DeviceLaunches stack;  // the next one is the last
  const auto put = [&](DeviceLaunches& launched) {
    std::vector<cpu_abi::DeviceLaunch>& all = launched.launches_;
    std::stable_partition(all.begin(), all.end(),
                          [](const cpu_abi::DeviceLaunch& launch) { return !launch.last; });
    stack.launches_.insert(stack.launches_.end(), all.rbegin(), all.rend());
    all.clear();
  };
  put(*this);
  for (bool goes_on = true; goes_on && !stack.empty();) {
    DeviceLaunches current, launched;
    current.add(stack.launches_.back());
    stack.launches_.pop_back();
    goes_on = run(current.launches_.front(), launched);
    put(launched);
  }
}

}  // namespace kiln
