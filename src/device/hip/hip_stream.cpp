#include "device/hip/hip_stream.h"

namespace kiln {
namespace {

class HipEvent final : public Event {
 public:
  explicit HipEvent(std::shared_ptr<HipContext> context) : context_(std::move(context)) {
    const SelectedDevice current = context_->enter();
    hip_abi::Event event = nullptr;
    context_->check(call().event_create(&event, hip_abi::kEventDefault), "hipEventCreateWithFlags");
    event_.reset({&context_->runtime(), context_->device(), event});
  }

  void record(Stream& stream) override {
    const SelectedDevice current = context_->enter();
    context_->check(call().event_record(get(), dynamic_cast<HipStream&>(stream).get()), "hipEventRecord");
  }

  [[nodiscard]] double seconds_since(const Event& earlier) const override {
    constexpr double kSecondsPerMillisecond = 1e-3;
    const SelectedDevice current = context_->enter();
    float milliseconds = 0;
    const auto start = dynamic_cast<const HipEvent&>(earlier).get();
    context_->check(call().event_elapsed(&milliseconds, start, get()), "hipEventElapsedTime");
    return static_cast<double>(milliseconds) * kSecondsPerMillisecond;
  }

 private:
  [[nodiscard]] const hip_abi::Functions& call() const { return context_->runtime().call; }
  [[nodiscard]] hip_abi::Event get() const { return event_.get().object; }

  std::shared_ptr<HipContext> context_;
  HipEventHandle event_;
};

}  // namespace

HipStream::HipStream(std::shared_ptr<HipContext> context) : context_(std::move(context)) {
  const SelectedDevice current = context_->enter();
  // Not ordered with the legacy default stream: others' work there must not slow a measurement down.
  context_->check(context_->runtime().call.stream_create(&stream_, hip_abi::kStreamNonBlocking),
                  "hipStreamCreateWithFlags");
  owned_.reset({&context_->runtime(), context_->device(), stream_});
}

void HipStream::synchronize() {
  const SelectedDevice current = context_->enter();
  const hip_abi::Result result = context_->runtime().call.stream_synchronize(stream_);
  const std::string launched = trace_.take();
  if (result == hip_abi::kSuccess) return;
  context_->fail(result, "hipStreamSynchronize", launched);
}

std::unique_ptr<Event> make_hip_event(std::shared_ptr<HipContext> context) {
  return std::make_unique<HipEvent>(std::move(context));
}

}  // namespace kiln
