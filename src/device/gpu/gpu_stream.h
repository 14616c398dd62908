#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "device/device.h"
#include "device/fault.h"
#include "device/gpu/gpu_context.h"
#include "device/launch_trace.h"
#include "kiln/error.h"

// Streams, events and graphs of CUDA and HIP. `Vendor` (device/cuda/cuda_vendor.h, device/hip/hip_vendor.h)
// names the types, constants and the library.
namespace kiln {

template <class Vendor>
class GpuStream final : public Stream {
 public:
  using Context = typename Vendor::Context;

  /// Makes a stream.
  explicit GpuStream(std::shared_ptr<Context> context) : context_(std::move(context)) {
    const auto current = context_->enter();
    // Not ordered with the legacy default stream: work there must not slow a measurement down.
    context_->run(context_->call().stream_create, &stream_, Vendor::kStreamNonBlocking);
    owned_.reset(context_->handle(stream_));
  }
  /// Wraps an existing stream: `lent` is not destroyed.
  GpuStream(std::shared_ptr<Context> context, typename Vendor::Stream lent)
      : context_(std::move(context)), stream_(lent) {}

  [[nodiscard]] void* native() const override { return stream_; }
  void synchronize() override;
  void wait(const Event& event) override;

  [[nodiscard]] typename Vendor::Stream get() const { return stream_; }
  /// Stores the kernel for the message of a fault. `kernel` comes from the context's keep_name.
  void note_launch(const std::string& kernel) { trace_.note(kernel); }
  void note_launch(const LaunchTrace::Kernels& kernels) { trace_.note(kernels); }
  [[nodiscard]] LaunchTrace::Kernels launched() const { return trace_.kernels(); }

  [[nodiscard]] std::unique_ptr<Graph> capture(const std::function<void()>& enqueue);
  /// Throws bad_input while the stream is captured.
  void require_no_capture(const char* operation) const {
    if (captured_) {
      throw bad_input(std::string(operation) +
                      " waits for the device, which a stream that is captured into a graph cannot do");
    }
  }

 private:
  std::shared_ptr<Context> context_;
  GpuOwner<typename Vendor::Driver, &Vendor::Functions::stream_destroy> owned_;
  typename Vendor::Stream stream_ = nullptr;
  LaunchTrace trace_;
  bool captured_ = false;  // changed by the one thread that uses the stream during a capture
};

template <class Vendor>
class GpuEvent final : public Event {
 public:
  GpuEvent(std::shared_ptr<typename Vendor::Context> context, unsigned flags) : context_(std::move(context)) {
    const auto current = context_->enter();
    typename Vendor::Event event = nullptr;
    context_->run(context_->call().event_create, &event, flags);
    event_.reset(context_->handle(event));
  }

  void record(Stream& stream) override {
    const auto current = context_->enter();
    auto& queue = dynamic_cast<GpuStream<Vendor>&>(stream);
    context_->run(context_->call().event_record, get(), queue.get());
    launched_ = queue.launched();
  }

  [[nodiscard]] double seconds_since(const Event& earlier) const override {
    constexpr double kSecondsPerMillisecond = 1e-3;
    const auto current = context_->enter();
    float milliseconds = 0;
    context_->run(context_->call().event_elapsed, &milliseconds, dynamic_cast<const GpuEvent&>(earlier).get(),
                  get());
    return static_cast<double>(milliseconds) * kSecondsPerMillisecond;
  }

  [[nodiscard]] typename Vendor::Event get() const { return event_.get().object; }
  /// The kernels on its stream before it was recorded: a stream that waits for the event reports their
  /// faults.
  [[nodiscard]] const LaunchTrace::Kernels& launched() const { return launched_; }

 private:
  std::shared_ptr<typename Vendor::Context> context_;
  GpuOwner<typename Vendor::Driver, &Vendor::Functions::event_destroy> event_;
  LaunchTrace::Kernels launched_;
};

template <class Vendor>
class GpuGraph final : public Graph {
 public:
  /// `kernels`: for the message of a fault.
  GpuGraph(std::shared_ptr<typename Vendor::Context> context, typename Vendor::Graph graph,
           LaunchTrace::Kernels kernels)
      : context_(std::move(context)), kernels_(kernels) {
    typename Vendor::GraphInstance instance = nullptr;
    accept(context_->call().graph_instantiate, &instance, graph, 0ULL);
    instance_.reset(context_->handle(instance));
  }

  void launch(Stream& stream) override {
    auto& queue = dynamic_cast<GpuStream<Vendor>&>(stream);
    const auto current = context_->enter();
    accept(context_->call().graph_launch, instance_.get().object, queue.get());
    queue.note_launch(kernels_);
  }

 private:
  template <class Call, class... Arguments>
  void accept(const Call& call, Arguments... arguments) {
    const auto result = call(arguments...);
    if (result != kDriverSuccess)
      context_->refuse(result, call.symbol, "a graph with " + LaunchTrace::text_of(kernels_));
  }

  std::shared_ptr<typename Vendor::Context> context_;
  GpuOwner<typename Vendor::Driver, &Vendor::Functions::graph_instance_destroy> instance_;
  LaunchTrace::Kernels kernels_;
};

template <class Vendor>
void GpuStream<Vendor>::synchronize() {
  require_no_capture("synchronize");
  const auto current = context_->enter();
  const auto result = context_->call().stream_synchronize(stream_);
  const std::string launched = trace_.take();
  if (result != kDriverSuccess) context_->fail(result, context_->call().stream_synchronize.symbol, launched);
}

template <class Vendor>
void GpuStream<Vendor>::wait(const Event& event) {
  const auto current = context_->enter();
  const auto& point = dynamic_cast<const GpuEvent<Vendor>&>(event);
  context_->run(context_->call().stream_wait_event, stream_, point.get(), 0U);
  trace_.note(point.launched());
}

template <class Vendor>
std::unique_ptr<Graph> GpuStream<Vendor>::capture(const std::function<void()>& enqueue) {
  if (context_->call().graph_instantiate == nullptr)
    throw unfit_kernel(context_->description() + " has no graphs that Kiln can use; " + Vendor::kGraphsCame);
  require_no_capture("a capture in a capture");
  const auto current = context_->enter();
  context_->run(context_->call().begin_capture, stream_, Vendor::kCaptureOfThread);
  captured_ = true;
  const LaunchTrace::Kernels before = trace_.exchange({});
  GpuOwner<typename Vendor::Driver, &Vendor::Functions::graph_destroy> captured;
  LaunchTrace::Kernels kernels;
  const auto end = [&] {
    captured_ = false;
    kernels = trace_.exchange(before);
    typename Vendor::Graph graph = nullptr;
    const auto result = context_->call().end_capture(stream_, &graph);
    captured.reset(context_->handle(graph));
    return result;
  };
  try {
    enqueue();
  } catch (...) {
    static_cast<void>(end());  // the driver's answer is that the capture failed, which is known
    throw;
  }
  if (const auto result = end(); result != kDriverSuccess)
    context_->fail(result, context_->call().end_capture.symbol, LaunchTrace::text_of(kernels));
  return std::make_unique<GpuGraph<Vendor>>(context_, captured.get().object, kernels);
}

}  // namespace kiln
