#pragma once

#include <memory>
#include <string>

#include "device/device.h"
#include "device/hip/hip_context.h"

namespace kiln {

/// A stream of Kiln's own, or a view of a caller's.
class HipStream final : public Stream {
 public:
  explicit HipStream(std::shared_ptr<HipContext> context);
  HipStream(std::shared_ptr<HipContext> context, hip_abi::Stream borrowed)
      : context_(std::move(context)), stream_(borrowed) {}

  [[nodiscard]] void* native() const override { return stream_; }
  void synchronize() override;

  [[nodiscard]] HipContext& context() const { return *context_; }
  [[nodiscard]] hip_abi::Stream get() const { return stream_; }
  /// For the message, should the device fail. `kernel` comes from HipContext::keep_name.
  void note_launch(const std::string& kernel) {
    if (last_launched_ != &kernel) several_ = last_launched_ != nullptr;
    last_launched_ = &kernel;
  }

 private:
  std::shared_ptr<HipContext> context_;
  HipStreamHandle owned_;
  hip_abi::Stream stream_ = nullptr;
  const std::string* last_launched_ = nullptr;
  bool several_ = false;
};

[[nodiscard]] std::unique_ptr<Event> make_hip_event(std::shared_ptr<HipContext> context);

}  // namespace kiln
