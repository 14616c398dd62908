#pragma once

#include <memory>

#include "device/device.h"
#include "device/hip/hip_runtime.h"

namespace kiln {

/// A device's properties as the run time reports them.
[[nodiscard]] DeviceInfo describe_hip_device(const HipRuntime& runtime, int ordinal);

[[nodiscard]] std::shared_ptr<Device> open_hip_device(const std::shared_ptr<const HipRuntime>& runtime,
                                                      int ordinal);

}  // namespace kiln
