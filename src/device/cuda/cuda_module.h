#pragma once

#include <memory>
#include <string>

#include "device/cuda/cuda_context.h"
#include "device/device.h"

namespace kiln {

/// Loads a cubin or PTX text into the context, by cuLibrary if the driver has it. Its functions are loaded
/// onto the device at their first look-up, not at their first launch, so that neither a measurement nor a
/// graph capture meets the driver's lazy loading. Throws Error if the driver refuses the binary.
[[nodiscard]] std::unique_ptr<Module> load_cuda_module(std::shared_ptr<CudaContext> context,
                                                       const std::string& binary, const DeviceInfo& device);

}  // namespace kiln
