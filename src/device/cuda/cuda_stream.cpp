#include "device/cuda/cuda_stream.h"

namespace kiln {
namespace {

class CudaEvent final : public Event {
 public:
  explicit CudaEvent(std::shared_ptr<CudaContext> context) : context_(std::move(context)) {
    const CurrentContext current = context_->enter();
    cuda_abi::Event event = nullptr;
    context_->check(call().event_create(&event, cuda_abi::kEventDefault), "cuEventCreate");
    event_.reset({&context_->driver(), context_->get(), event});
  }

  void record(Stream& stream) override {
    const CurrentContext current = context_->enter();
    context_->check(call().event_record(get(), dynamic_cast<CudaStream&>(stream).get()), "cuEventRecord");
  }

  [[nodiscard]] double seconds_since(const Event& earlier) const override {
    constexpr double kSecondsPerMillisecond = 1e-3;
    const CurrentContext current = context_->enter();
    float milliseconds = 0;
    const auto start = dynamic_cast<const CudaEvent&>(earlier).get();
    context_->check(call().event_elapsed(&milliseconds, start, get()), "cuEventElapsedTime");
    return static_cast<double>(milliseconds) * kSecondsPerMillisecond;
  }

 private:
  [[nodiscard]] const cuda_abi::Functions& call() const { return context_->driver().call; }
  [[nodiscard]] cuda_abi::Event get() const { return event_.get().object; }

  std::shared_ptr<CudaContext> context_;
  CudaEventHandle event_;
};

}  // namespace

CudaStream::CudaStream(std::shared_ptr<CudaContext> context) : context_(std::move(context)) {
  const CurrentContext current = context_->enter();
  // Not ordered with the legacy default stream: others' work there must not slow a measurement down.
  context_->check(context_->driver().call.stream_create(&stream_, cuda_abi::kStreamNonBlocking),
                  "cuStreamCreate");
  owned_.reset({&context_->driver(), context_->get(), stream_});
}

void CudaStream::synchronize() {
  const CurrentContext current = context_->enter();
  const cuda_abi::Result result = context_->driver().call.stream_synchronize(stream_);
  const std::string launched = trace_.take();
  if (result == cuda_abi::kSuccess) return;
  context_->fail(result, "cuStreamSynchronize", launched);
}

std::unique_ptr<Event> make_cuda_event(std::shared_ptr<CudaContext> context) {
  return std::make_unique<CudaEvent>(std::move(context));
}

}  // namespace kiln
