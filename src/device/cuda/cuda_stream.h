#pragma once

#include <memory>
#include <string>

#include "device/cuda/cuda_context.h"
#include "device/device.h"
#include "device/launch_trace.h"

namespace kiln {

/// A stream of Kiln's own, or one that is there whether or not Kiln is: the legacy default stream.
class CudaStream final : public Stream {
 public:
  explicit CudaStream(std::shared_ptr<CudaContext> context);
  /// `lent` is not given back.
  CudaStream(std::shared_ptr<CudaContext> context, cuda_abi::Stream lent)
      : context_(std::move(context)), stream_(lent) {}

  [[nodiscard]] void* native() const override { return stream_; }
  void synchronize() override;

  [[nodiscard]] CudaContext& context() const { return *context_; }
  [[nodiscard]] cuda_abi::Stream get() const { return stream_; }
  /// For the message, should the device fail. `kernel` comes from CudaContext::keep_name.
  void note_launch(const std::string& kernel) { trace_.note(kernel); }

 private:
  std::shared_ptr<CudaContext> context_;
  CudaStreamHandle owned_;
  cuda_abi::Stream stream_ = nullptr;
  LaunchTrace trace_;
};

[[nodiscard]] std::unique_ptr<Event> make_cuda_event(std::shared_ptr<CudaContext> context);

}  // namespace kiln
