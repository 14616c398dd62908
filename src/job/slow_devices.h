#pragma once

#include <string>
#include <vector>

#include "record/record.h"

namespace kiln {

/// What one variant took on one of several devices that are alike.
struct DeviceTrial {
  std::string place;  ///< for people: "cuda:3", "rank 3 (node7, cuda:1)"
  Record record;
};

/// A sentence for each device whose step takes more than a tenth longer than the median device's, by the
/// lower end of its confidence interval; with what limits its clocks, where the driver says so. Trials
/// without a measured step are left out; of fewer than two nothing is said.
[[nodiscard]] std::vector<std::string> find_slow_devices(const std::vector<DeviceTrial>& trials);

}  // namespace kiln
