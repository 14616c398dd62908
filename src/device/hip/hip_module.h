#pragma once

#include <memory>
#include <string>

#include "device/device.h"
#include "device/hip/hip_context.h"

namespace kiln {

/// Loads a code object, after a look whether it is for this device's ISA: the run time may crash where it is
/// not. Throws Error if it is not, or if the run time refuses it.
[[nodiscard]] std::unique_ptr<Module> load_hip_module(std::shared_ptr<HipContext> context,
                                                      const std::string& binary, const DeviceInfo& device);

}  // namespace kiln
