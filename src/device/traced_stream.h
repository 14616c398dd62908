#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/device.h"
#include "device/device_trace.h"

namespace kiln {

/// An event of the program, and how often it has been recorded.
struct TracedPoint {
  std::unique_ptr<Event> event;
  std::atomic<std::uint64_t> times{0};
};

class TracedStream;

/// The content of a graph under capture: the kernels, each once, and the streams that take part.
struct TracedCapture {
  std::vector<std::string> kernels;
  std::vector<TracedStream*> streams;
};

/// A stream whose launches and waits are spans, on the host and, from events, on the device.
///
/// Device times come from events. A launch gets a pair of its own. Between two events of the program, which
/// measures there, nothing is added: all launches between them are one span. The events are read once
/// `synchronize` has returned, and placed by a reference: an event recorded on the idle stream between two
/// readings of the host's clock, at most a second or so old. A launch takes no lock.
class TracedStream final : public Stream {
 public:
  /// Takes `inner`; the other arguments outlive the stream.
  TracedStream(std::unique_ptr<Stream> inner, std::shared_ptr<Device> device,
               std::shared_ptr<DeviceTrace> trace);

  [[nodiscard]] void* native() const override { return inner_->native(); }
  void synchronize() override;

  void wait(const Event& event) override;

  [[nodiscard]] Stream& inner() const { return *inner_; }
  /// Null if the stream is not captured.
  [[nodiscard]] const std::shared_ptr<TracedCapture>& capture() const { return capture_; }
  /// Makes a graph on the device from the operations of `enqueue`. `kernels` gets the names of its kernels,
  /// each once, for its label.
  [[nodiscard]] std::unique_ptr<Graph> capture(const std::function<void()>& enqueue, std::string& kernels);

  /// `enqueue` launches on `inner()`.
  template <class Enqueue>
  void launch(const LaunchLabels& labels, TraceFlow flow, const Enqueue& enqueue) {
    if (capture_) {
      note_captured(labels);
      enqueue();
      return;
    }
    if (between_events_.load(std::memory_order_acquire)) {
      enqueue();
      labels_between_.store(&labels, std::memory_order_relaxed);
      launches_between_.fetch_add(1, std::memory_order_release);
      return;
    }
    PairUse pair = take_pair();
    if (pair) pair.get()->begin->record(*inner_);
    {
      TraceSpan span(&trace_->trace(), labels.launch);
      span.flow(flow);
      enqueue();
    }
    if (pair) finish(std::move(pair), labels);
  }

  /// `point` is about to be recorded on `inner()`.
  void note_event(const std::shared_ptr<TracedPoint>& point);

 private:
  /// Events around a launch. A pair is in one of four states in turn: free, used by the launching thread,
  /// ready to be read, read.
  struct Pair {
    enum State { kFree, kUsed, kReady, kRead };
    std::atomic<int> state{kFree};
    std::unique_ptr<Event> begin, end;
    const LaunchLabels* labels = nullptr;
  };
  struct FreePair {
    using Handle = Pair*;
    static Handle null() { return nullptr; }
    static void close(Handle pair) noexcept { pair->state.store(Pair::kFree, std::memory_order_release); }
  };
  using PairUse = UniqueHandle<FreePair>;

  /// Launches between two events of the program.
  struct Stretch {
    std::shared_ptr<TracedPoint> begin, end;
    std::uint64_t begin_times = 0, end_times = 0;
    const LaunchLabels* labels = nullptr;
    std::uint64_t launches = 0;
  };
  struct DeviceSpan {
    std::int64_t begin_ns, end_ns;
    SharedLabel label;
  };

  void join(const std::shared_ptr<TracedCapture>& capture);
  void note_captured(const LaunchLabels& labels);
  [[nodiscard]] PairUse take_pair();
  void finish(PairUse pair, const LaunchLabels& labels);
  [[nodiscard]] std::vector<PairUse> pairs_to_read();
  [[nodiscard]] std::vector<Stretch> take_stretches();
  void read(const std::vector<PairUse>& pairs, const std::vector<Stretch>& stretches);
  void add(std::vector<DeviceSpan> spans);
  [[nodiscard]] std::int64_t time_of(const Event& event) const;
  void take_reference();

  std::unique_ptr<Stream> inner_;
  std::shared_ptr<Device> device_;
  std::shared_ptr<DeviceTrace> trace_;
  StreamLine line_;
  std::size_t track_;
  SharedLabel wait_label_;

  std::shared_ptr<TracedCapture> capture_;
  std::array<Pair, 128> pairs_;
  std::atomic<std::size_t> next_pair_{0};
  std::atomic<bool> between_events_{false};
  std::atomic<std::uint64_t> launches_between_{0};
  std::atomic<const LaunchLabels*> labels_between_{nullptr};

  std::mutex mutex_;  // guards the members below; no launch takes it
  std::shared_ptr<TracedPoint> last_point_;
  std::uint64_t last_point_times_ = 0;
  std::vector<Stretch> stretches_;
  std::unique_ptr<Event> reference_;
  std::int64_t reference_ns_ = 0;  // the host's time of the reference
  std::int64_t last_end_ns_ = 0;   // of the spans that were added
};

/// An event of the program, recorded on traced streams of one device.
class TracedEvent final : public Event {
 public:
  /// `measures`: the program reads its time, so no events are added between such events.
  TracedEvent(std::unique_ptr<Event> inner, bool measures)
      : point_(std::make_shared<TracedPoint>()), measures_(measures) {
    point_->event = std::move(inner);
  }
  void record(Stream& stream) override;
  [[nodiscard]] double seconds_since(const Event& earlier) const override;
  [[nodiscard]] const Event& inner() const { return *point_->event; }
  /// The capture that it was recorded in; null if there is none.
  [[nodiscard]] std::shared_ptr<TracedCapture> capture() const { return capture_.lock(); }

 private:
  std::shared_ptr<TracedPoint> point_;
  std::weak_ptr<TracedCapture> capture_;
  bool measures_;
};

}  // namespace kiln
