#pragma once

#include <memory>
#include <string>

#include "device/cuda/cuda_context.h"
#include "device/device.h"

namespace kiln {

/// A stream of Kiln's own, or a view of a caller's.
class CudaStream final : public Stream {
 public:
  explicit CudaStream(std::shared_ptr<CudaContext> context);
  CudaStream(std::shared_ptr<CudaContext> context, cuda_abi::Stream borrowed)
      : context_(std::move(context)), stream_(borrowed) {}

  [[nodiscard]] void* native() const override { return stream_; }
  void synchronize() override;

  [[nodiscard]] CudaContext& context() const { return *context_; }
  [[nodiscard]] cuda_abi::Stream get() const { return stream_; }
  /// For the message, should the device fail. `kernel` comes from CudaContext::keep_name.
  void note_launch(const std::string& kernel) {
    if (last_launched_ != &kernel) several_ = last_launched_ != nullptr;
    last_launched_ = &kernel;
  }

 private:
  std::shared_ptr<CudaContext> context_;
  CudaStreamHandle owned_;
  cuda_abi::Stream stream_ = nullptr;
  const std::string* last_launched_ = nullptr;
  bool several_ = false;
};

[[nodiscard]] std::unique_ptr<Event> make_cuda_event(std::shared_ptr<CudaContext> context);

}  // namespace kiln
