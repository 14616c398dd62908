#pragma once

#include <memory>
#include <vector>

#include "device/device.h"
#include "job/trial_crew.h"
#include "job/trial_runner.h"

namespace kiln {

/// Lanes to further devices of this node, which are like the first one.
class DeviceLanes final : public TrialLanes {
 public:
  /// `make_runner` makes one runner for each device, as for the first one.
  DeviceLanes(std::vector<std::shared_ptr<Device>> devices, MakeTrialRunner make_runner);

  /// A lane runs near its device, and so do the processes that it starts.
  [[nodiscard]] std::vector<TrialLane> lanes(const JobContext& context) override;

 private:
  std::vector<std::shared_ptr<Device>> devices_;
  MakeTrialRunner make_runner_;
};

}  // namespace kiln
