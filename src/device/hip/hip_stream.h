#pragma once

#include <memory>
#include <string>

#include "device/device.h"
#include "device/hip/hip_context.h"
#include "device/launch_trace.h"

namespace kiln {

/// A stream of Kiln's own, or one that is there whether or not Kiln is: the null stream.
class HipStream final : public Stream {
 public:
  explicit HipStream(std::shared_ptr<HipContext> context);
  /// `lent` is not given back.
  HipStream(std::shared_ptr<HipContext> context, hip_abi::Stream lent)
      : context_(std::move(context)), stream_(lent) {}

  [[nodiscard]] void* native() const override { return stream_; }
  void synchronize() override;

  [[nodiscard]] HipContext& context() const { return *context_; }
  [[nodiscard]] hip_abi::Stream get() const { return stream_; }
  /// For the message, should the device fail. `kernel` comes from HipContext::keep_name.
  void note_launch(const std::string& kernel) { trace_.note(kernel); }

 private:
  std::shared_ptr<HipContext> context_;
  HipStreamHandle owned_;
  hip_abi::Stream stream_ = nullptr;
  LaunchTrace trace_;
};

[[nodiscard]] std::unique_ptr<Event> make_hip_event(std::shared_ptr<HipContext> context);

}  // namespace kiln
