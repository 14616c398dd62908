#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "device/device.h"
#include "device/hip/hip_context.h"

namespace kiln {

/// A stream of Kiln's own.
class HipStream final : public Stream {
 public:
  explicit HipStream(std::shared_ptr<HipContext> context);

  [[nodiscard]] void* native() const override { return stream_; }
  void synchronize() override;

  [[nodiscard]] HipContext& context() const { return *context_; }
  [[nodiscard]] hip_abi::Stream get() const { return stream_; }
  /// For the message, should the device fail. `kernel` comes from HipContext::keep_name.
  void note_launch(const std::string& kernel) {
    const std::string* last = last_launched_.load(std::memory_order_relaxed);
    if (last == &kernel) return;
    several_.store(last != nullptr, std::memory_order_relaxed);
    last_launched_.store(&kernel, std::memory_order_relaxed);
  }

 private:
  std::shared_ptr<HipContext> context_;
  HipStreamHandle owned_;
  hip_abi::Stream stream_ = nullptr;
  std::atomic<const std::string*> last_launched_{nullptr};
  std::atomic<bool> several_{false};
};

[[nodiscard]] std::unique_ptr<Event> make_hip_event(std::shared_ptr<HipContext> context);

}  // namespace kiln
