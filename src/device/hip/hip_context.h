#pragma once

#include <string>

#include "device/gpu/gpu_context.h"
#include "device/hip/hip_runtime.h"

namespace kiln {

/// A device in this process, shared with other users of HIP.
class HipContext : public GpuContext<HipRuntime> {
 public:
  using GpuContext::GpuContext;

  /// "the HIP run time (amdgpu 6.8.5, HIP 6.2.41134)"
  [[nodiscard]] std::string description() const {
    return "the HIP run time (" + driver_->description() + ")";
  }
  /// Selects the device on this thread; changes nothing if it is selected already.
  [[nodiscard]] SelectedDevice enter();
};

}  // namespace kiln
