#pragma once

#include <memory>
#include <string>

#include "device/device.h"
#include "device/hip/hip_context.h"

namespace kiln {

/// Loads a code object after a check of its ISA: the run time may crash on code for another ISA. Throws Error
/// if the ISA does not fit the device, or if the run time refuses the code.
[[nodiscard]] std::unique_ptr<Module> load_hip_module(std::shared_ptr<HipContext> context,
                                                      const std::string& binary, const DeviceInfo& device);

}  // namespace kiln
