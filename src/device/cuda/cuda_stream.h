#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "device/cuda/cuda_context.h"
#include "device/device.h"

namespace kiln {

/// A stream of Kiln's own.
class CudaStream final : public Stream {
 public:
  explicit CudaStream(std::shared_ptr<CudaContext> context);

  [[nodiscard]] void* native() const override { return stream_; }
  void synchronize() override;

  [[nodiscard]] CudaContext& context() const { return *context_; }
  [[nodiscard]] cuda_abi::Stream get() const { return stream_; }
  /// For the message, should the device fail. `kernel` comes from CudaContext::keep_name.
  void note_launch(const std::string& kernel) {
    const std::string* last = last_launched_.load(std::memory_order_relaxed);
    if (last == &kernel) return;
    several_.store(last != nullptr, std::memory_order_relaxed);
    last_launched_.store(&kernel, std::memory_order_relaxed);
  }

 private:
  std::shared_ptr<CudaContext> context_;
  CudaStreamHandle owned_;
  cuda_abi::Stream stream_ = nullptr;
  std::atomic<const std::string*> last_launched_{nullptr};
  std::atomic<bool> several_{false};
};

[[nodiscard]] std::unique_ptr<Event> make_cuda_event(std::shared_ptr<CudaContext> context);

}  // namespace kiln
