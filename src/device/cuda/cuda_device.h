#pragma once

#include <memory>

#include "base/file.h"
#include "device/cuda/driver.h"
#include "device/device.h"

namespace kiln {

/// A device's properties as the driver reports them, without a context on the device.
[[nodiscard]] DeviceInfo describe_cuda_device(const CudaDriver& driver, int ordinal);

/// Retains the device's primary context, in the background, for as long as an object made from it lives.
/// `files` is searched for NVML.
[[nodiscard]] std::shared_ptr<Device> open_cuda_device(const std::shared_ptr<const CudaDriver>& driver,
                                                       int ordinal, FileSystem& files);

}  // namespace kiln
