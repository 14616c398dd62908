#pragma once

#include <memory>

#include "base/file.h"
#include "device/cuda/driver.h"
#include "device/device.h"

namespace kiln {

/// What the driver tells of a device, without a context on it.
[[nodiscard]] DeviceInfo describe_cuda_device(const CudaDriver& driver, int ordinal);

/// Retains the device's primary context, beside the caller, for as long as anything made from it lives.
/// `files` is where NVML is looked for.
[[nodiscard]] std::shared_ptr<Device> open_cuda_device(const std::shared_ptr<const CudaDriver>& driver,
                                                       int ordinal, FileSystem& files);

}  // namespace kiln
