#include "device/traced_device.h"

#include <atomic>
#include <map>
#include <mutex>
#include <utility>

#include "device/device_trace.h"
#include "device/traced_stream.h"

namespace kiln {
namespace {

bool same_shape(const LaunchShape& a, const LaunchShape& b) {
  return a.grid == b.grid && a.block == b.block && a.dynamic_shared_bytes == b.dynamic_shared_bytes &&
         a.cluster == b.cluster && a.cooperative == b.cooperative && a.overlap == b.overlap;
}

/// The end of the flow arrow from a module's code: the module's first launch.
class FlowEnd {
 public:
  explicit FlowEnd(std::uint64_t id) : id_(id) {}
  [[nodiscard]] TraceFlow take() {
    const bool first = !taken_.load(std::memory_order_relaxed) && !taken_.exchange(true);
    return first ? TraceFlow{id_, TraceFlow::Phase::kEnd} : TraceFlow{};
  }

 private:
  std::uint64_t id_;
  std::atomic<bool> taken_{false};
};

class TracedFunction final : public DeviceFunction {
 public:
  /// `title`: the kernel's name in the source.
  TracedFunction(DeviceFunction& inner, std::string title, std::shared_ptr<DeviceTrace> trace, FlowEnd& flow)
      : inner_(inner), title_(std::move(title)), trace_(std::move(trace)), flow_(flow) {}

  [[nodiscard]] const std::string& name() const override { return inner_.name(); }
  [[nodiscard]] const FunctionAttributes& attributes() const override { return inner_.attributes(); }

  void launch(Stream& stream, const LaunchShape& shape, void* const* arguments) override {
    auto& traced = static_cast<TracedStream&>(stream);  // NOLINT(*-static-cast-downcast): a device's own
    traced.launch(labels(shape), flow_.take(), [&] { inner_.launch(traced.inner(), shape, arguments); });
  }

  void launch_native(void* native, const LaunchShape& shape, void* const* arguments) override {
    TraceSpan span(&trace_->trace(), labels(shape).launch);
    span.flow(flow_.take());
    inner_.launch_native(native, shape, arguments);
  }

  [[nodiscard]] std::optional<std::uint64_t> resident_blocks(const LaunchShape& shape) const override {
    return inner_.resident_blocks(shape);
  }

 private:
  /// The labels of the last launch, or new ones for another shape.
  const LaunchLabels& labels(const LaunchShape& shape) {
    const LaunchLabels* last = last_.load(std::memory_order_acquire);
    if (last == nullptr || !same_shape(last->shape, shape)) {
      last = &trace_->labels(title_, shape);
      last_.store(last, std::memory_order_release);
    }
    return *last;
  }

  DeviceFunction& inner_;
  std::string title_;
  std::shared_ptr<DeviceTrace> trace_;
  FlowEnd& flow_;
  std::atomic<const LaunchLabels*> last_{nullptr};
};

class TracedModule final : public Module {
 public:
  TracedModule(std::unique_ptr<Module> inner, std::shared_ptr<DeviceTrace> trace, std::uint64_t flow)
      : inner_(std::move(inner)), trace_(std::move(trace)), flow_(flow) {}

  [[nodiscard]] DeviceFunction* function(const std::string& lowered_name) override {
    DeviceFunction* found = inner_->function(lowered_name);
    if (found == nullptr) return nullptr;
    const std::lock_guard lock(mutex_);
    auto& traced = functions_[lowered_name];
    if (!traced) {
      const auto title = titles_.find(lowered_name);
      traced = std::make_unique<TracedFunction>(*found, title == titles_.end() ? lowered_name : title->second,
                                                trace_, flow_);
    }
    return traced.get();
  }
  void note_names(const std::map<std::string, std::string>& lowered_names) override {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, lowered] : lowered_names) titles_[lowered] = name;
  }
  [[nodiscard]] std::optional<std::pair<void*, std::size_t>> symbol(const std::string& name) override {
    return inner_->symbol(name);
  }

 private:
  std::unique_ptr<Module> inner_;
  std::shared_ptr<DeviceTrace> trace_;
  FlowEnd flow_;
  std::mutex mutex_;  // guards the members below
  std::map<std::string, std::string> titles_;
  std::map<std::string, std::unique_ptr<TracedFunction>> functions_;
};

class TracedGraph final : public Graph {
 public:
  TracedGraph(std::unique_ptr<Graph> inner, std::shared_ptr<DeviceTrace> trace, const std::string& kernels)
      : inner_(std::move(inner)), trace_(std::move(trace)), labels_(trace_->labels_of_graph(kernels)) {}
  void launch(Stream& stream) override {
    auto& traced = dynamic_cast<TracedStream&>(stream);
    traced.launch(labels_, {}, [&] { inner_->launch(traced.inner()); });
  }

 private:
  std::unique_ptr<Graph> inner_;
  std::shared_ptr<DeviceTrace> trace_;
  const LaunchLabels& labels_;
};

class TracedDevice final : public Device {
 public:
  TracedDevice(std::shared_ptr<Device> inner, Trace& trace)
      : inner_(std::move(inner)),
        trace_(std::make_shared<DeviceTrace>(trace, inner_->info().id, inner_->info().name)) {}

  [[nodiscard]] const DeviceInfo& info() const override { return inner_->info(); }
  [[nodiscard]] std::uint64_t free_memory_bytes() override { return inner_->free_memory_bytes(); }
  [[nodiscard]] std::unique_ptr<DeviceBuffer> allocate(std::size_t bytes) override {
    return inner_->allocate(bytes);
  }

  [[nodiscard]] std::unique_ptr<DeviceBuffer> allocate_host(std::size_t bytes) override {
    return inner_->allocate_host(bytes);
  }

  void copy_to_device(Stream& stream, void* device, const void* host, std::size_t bytes) override {
    TraceSpan span(&trace_->trace(), TraceKind::kCopy, "to " + info().id);
    span.add("bytes", bytes);
    inner_->copy_to_device(inner(stream), device, host, bytes);
  }
  void copy_to_host(Stream& stream, void* host, const void* device, std::size_t bytes) override {
    TraceSpan span(&trace_->trace(), TraceKind::kCopy, "from " + info().id);
    span.add("bytes", bytes);
    inner_->copy_to_host(inner(stream), host, device, bytes);
  }
  void enqueue_copy_to_device(Stream& stream, void* device, const void* host, std::size_t bytes) override {
    inner_->enqueue_copy_to_device(inner(stream), device, host, bytes);
  }
  void enqueue_copy_to_host(Stream& stream, void* host, const void* device, std::size_t bytes) override {
    inner_->enqueue_copy_to_host(inner(stream), host, device, bytes);
  }
  void copy_from_peer(Stream& stream, void* to, Device& peer, const void* from, std::size_t bytes) override {
    auto* traced = dynamic_cast<TracedDevice*>(&peer);
    inner_->copy_from_peer(inner(stream), to, traced != nullptr ? *traced->inner_ : peer, from, bytes);
  }
  void copy_on_device(Stream& stream, void* to, const void* from, std::size_t bytes) override {
    inner_->copy_on_device(inner(stream), to, from, bytes);
  }
  void fill_bytes(Stream& stream, void* device, unsigned char value, std::size_t bytes) override {
    inner_->fill_bytes(inner(stream), device, value, bytes);
  }

  [[nodiscard]] std::unique_ptr<Graph> capture(Stream& stream,
                                               const std::function<void()>& enqueue) override {
    std::string kernels;
    auto graph = dynamic_cast<TracedStream&>(stream).capture(enqueue, kernels);
    return std::make_unique<TracedGraph>(std::move(graph), trace_, kernels);
  }

  [[nodiscard]] std::unique_ptr<Stream> create_stream() override {
    return std::make_unique<TracedStream>(inner_->create_stream(), inner_, trace_);
  }
  [[nodiscard]] std::unique_ptr<Stream> default_stream() override {
    return std::make_unique<TracedStream>(inner_->default_stream(), inner_, trace_);
  }
  [[nodiscard]] std::unique_ptr<Stream> borrow_stream(void* native) override {
    return std::make_unique<TracedStream>(inner_->borrow_stream(native), inner_, trace_);
  }
  [[nodiscard]] bool is_capturing(void* native) override { return inner_->is_capturing(native); }
  [[nodiscard]] std::unique_ptr<Event> create_event() override {
    return std::make_unique<TracedEvent>(inner_->create_event(), true);
  }
  [[nodiscard]] std::unique_ptr<Event> create_ordering_event() override {
    return std::make_unique<TracedEvent>(inner_->create_ordering_event(), false);
  }
  [[nodiscard]] TensorMap encode_tensor_map(const TensorMapLayout& layout, const void* data) override {
    return inner_->encode_tensor_map(layout, data);
  }
  [[nodiscard]] std::uint64_t texture(const TextureLayout& layout, const void* data) override {
    return inner_->texture(layout, data);
  }
  [[nodiscard]] std::optional<DeviceClocks> clocks() override { return inner_->clocks(); }
  [[nodiscard]] std::optional<double> energy_joules() override { return inner_->energy_joules(); }

  [[nodiscard]] std::unique_ptr<Module> load(const std::string& binary) override {
    TraceSpan span(&trace_->trace(), TraceKind::kLoad, info().id);
    span.add("device", info().id);
    span.add("bytes", binary.size());
    const std::uint64_t flow = flow_of(binary);
    span.flow({flow, TraceFlow::Phase::kNext});
    return std::make_unique<TracedModule>(inner_->load(binary), trace_, flow);
  }
  void flush_cache(Stream& stream) override { inner_->flush_cache(inner(stream)); }

 private:
  static Stream& inner(Stream& stream) { return dynamic_cast<TracedStream&>(stream).inner(); }

  std::shared_ptr<Device> inner_;
  std::shared_ptr<DeviceTrace> trace_;
};

}  // namespace

std::shared_ptr<Device> make_traced_device(std::shared_ptr<Device> device, Trace& trace) {
  return std::make_shared<TracedDevice>(std::move(device), trace);
}

}  // namespace kiln
