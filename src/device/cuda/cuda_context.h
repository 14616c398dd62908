#pragma once

#include <memory>
#include <string>

#include "device/cuda/driver.h"
#include "device/gpu/gpu_context.h"

namespace kiln {

struct PrimaryContextTraits {
  struct Handle {
    const CudaDriver* driver = nullptr;
    cuda_abi::DeviceNumber device = 0;
    friend bool operator!=(const Handle& a, const Handle& b) { return a.driver != b.driver; }
  };
  static Handle null() { return {}; }
  static void close(const Handle& handle) noexcept {
    handle.driver->call.primary_context_release(handle.device);
  }
};

/// A device's primary context, which the CUDA runtime, PyTorch and others in the process share.
class CudaContext : public GpuContext<CudaDriver> {
 public:
  CudaContext(std::shared_ptr<const CudaDriver> driver, cuda_abi::DeviceNumber device);

  /// "the NVIDIA driver (580.159.04, CUDA 13.0)"
  [[nodiscard]] std::string description() const {
    return "the NVIDIA driver (" + driver_->description() + ")";
  }
  /// Makes the context current on this thread; if it is current already, no driver call changes anything.
  [[nodiscard]] CurrentContext enter() {
    cuda_abi::Context current = nullptr;
    call().context_get_current(&current);
    return current == place_ ? CurrentContext() : push();
  }

 private:
  [[nodiscard]] CurrentContext push();

  UniqueHandle<PrimaryContextTraits> retained_;
};

}  // namespace kiln
