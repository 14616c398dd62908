#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>

#include "device/cuda/cuda_context.h"

namespace kiln {

/// Copies between ordinary host memory and a device through two pinned buffers: the host fills one while the
/// device's copy engine reads the other. The buffers are allocated at the first copy that is large enough to
/// need them. Thread-safe: copies take turns.
class CudaStaging {
 public:
  explicit CudaStaging(std::shared_ptr<CudaContext> context) : context_(std::move(context)) {}

  /// Enqueues the copy; `host` has been read on return.
  void copy_to_device(cuda_abi::Stream stream, cuda_abi::DevicePointer device, const void* host,
                      std::size_t bytes);
  /// The content is complete on return.
  void copy_to_host(cuda_abi::Stream stream, void* host, cuda_abi::DevicePointer device, std::size_t bytes);

 private:
  struct Slot {
    GpuOwner<CudaDriver, &cuda_abi::Functions::host_free> memory;
    GpuOwner<CudaDriver, &cuda_abi::Functions::event_destroy> copied;
  };

  void make_slots();
  [[nodiscard]] const cuda_abi::Functions& call() const { return context_->call(); }

  std::shared_ptr<CudaContext> context_;
  std::mutex mutex_;  // guards the members below
  std::array<Slot, 2> slots_;
};

}  // namespace kiln
