#include "device/traced_stream.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "kiln/error.h"

namespace kiln {
namespace {

/// The greatest age of a reference, in ns: events measure milliseconds as a float, and clocks drift.
constexpr std::int64_t kReferenceLasts = 1'000'000'000;
/// The largest number of stretches that wait for a synchronize.
constexpr std::size_t kMostStretches = 4096;

SharedLabel label_of(const LaunchLabels& labels, std::uint64_t launches) {
  if (launches == 1) return labels.kernel;
  auto label = std::make_shared<TraceLabel>(*labels.kernel);
  label->arguments.emplace_back("launches", static_cast<std::int64_t>(launches));
  return label;
}

}  // namespace

TracedStream::TracedStream(std::unique_ptr<Stream> inner, std::shared_ptr<Device> device,
                           std::shared_ptr<DeviceTrace> trace)
    : inner_(std::move(inner)),
      device_(std::move(device)),
      trace_(std::move(trace)),
      line_(trace_->take_line()),
      track_(trace_->track_of(line_)),
      wait_label_(std::make_shared<const TraceLabel>(make_label(TraceKind::kWait, trace_->id()))) {
  if (trace_->trace().recording()) take_reference();
}

void TracedStream::wait(const Event& event) {
  const auto& traced = dynamic_cast<const TracedEvent&>(event);
  inner_->wait(traced.inner());
  if (const auto capture = traced.capture(); capture && !capture_) join(capture);
}

void TracedStream::join(const std::shared_ptr<TracedCapture>& capture) {
  capture_ = capture;
  capture->streams.push_back(this);
}

/// An event that is recorded in a graph measures no time: captured work has no spans of its own.
std::unique_ptr<Graph> TracedStream::capture(const std::function<void()>& enqueue, std::string& kernels) {
  const auto capture = std::make_shared<TracedCapture>();
  const std::shared_ptr<void> end(nullptr, [&](void*) {
    for (TracedStream* stream : capture->streams) stream->capture_ = nullptr;
  });
  auto graph = device_->capture(*inner_, [&] {
    join(capture);
    enqueue();
  });
  kernels = kiln::join(capture->kernels, ", ");
  return graph;
}

void TracedStream::note_captured(const LaunchLabels& labels) {
  const std::string& name = labels.kernel->name;
  auto& kernels = capture_->kernels;
  if (std::find(kernels.begin(), kernels.end(), name) == kernels.end()) kernels.push_back(name);
}

/// Returns no pair if tracing is off for the stream, or if a large number of launches waits to be read.
TracedStream::PairUse TracedStream::take_pair() {
  if (!trace_->trace().recording()) return {};
  Pair& pair = pairs_[next_pair_.fetch_add(1, std::memory_order_relaxed) % pairs_.size()];
  int expected = Pair::kFree;
  if (!pair.state.compare_exchange_strong(expected, Pair::kUsed, std::memory_order_acquire)) {
    trace_->trace().count_unplaced(1);
    return {};
  }
  PairUse use(&pair);
  if (!pair.begin) pair.begin = device_->create_event();
  if (!pair.end) pair.end = device_->create_event();
  return use;
}

void TracedStream::finish(PairUse use, const LaunchLabels& labels) {
  Pair& pair = *use.get();
  pair.end->record(*inner_);
  pair.labels = &labels;
  static_cast<void>(use.release());
  pair.state.store(Pair::kReady, std::memory_order_release);
}

std::vector<TracedStream::PairUse> TracedStream::pairs_to_read() {
  std::vector<PairUse> uses;
  for (Pair& pair : pairs_) {
    int expected = Pair::kReady;
    if (pair.state.compare_exchange_strong(expected, Pair::kRead, std::memory_order_acquire))
      uses.emplace_back(&pair);
  }
  return uses;
}

void TracedStream::note_event(const std::shared_ptr<TracedPoint>& point) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t launches = launches_between_.exchange(0, std::memory_order_acquire);
  if (last_point_ && launches > 0 && stretches_.size() < kMostStretches) {
    stretches_.push_back({last_point_, point, last_point_times_, point->times + 1,
                          labels_between_.load(std::memory_order_relaxed), launches});
  } else {
    trace_->trace().count_unplaced(launches);
  }
  last_point_ = point;
  last_point_times_ = ++point->times;
  between_events_.store(trace_->trace().recording(), std::memory_order_release);
}

std::vector<TracedStream::Stretch> TracedStream::take_stretches() {
  const std::lock_guard lock(mutex_);
  between_events_.store(false, std::memory_order_release);
  trace_->trace().count_unplaced(launches_between_.exchange(0, std::memory_order_acquire));
  last_point_.reset();
  return std::exchange(stretches_, {});
}

void TracedStream::synchronize() {
  // Earlier work of this thread is complete afterwards; work that another thread enqueues meanwhile may not
  // be.
  const std::vector<PairUse> pairs = pairs_to_read();
  const std::vector<Stretch> stretches = take_stretches();
  {
    const TraceSpan span(&trace_->trace(), wait_label_);
    inner_->synchronize();
  }
  if (!trace_->trace().recording()) return;
  const std::lock_guard lock(mutex_);
  if (!pairs.empty() || !stretches.empty()) read(pairs, stretches);
  if (trace_->trace().now() - reference_ns_ > kReferenceLasts) take_reference();
}

void TracedStream::read(const std::vector<PairUse>& pairs, const std::vector<Stretch>& stretches) {
  std::vector<DeviceSpan> spans;
  std::uint64_t unread = 0;
  const auto try_add = [&](const Event& begin, const Event& end, const LaunchLabels& labels,
                           std::uint64_t launches) {
    try {
      spans.push_back({time_of(begin), time_of(end), label_of(labels, launches)});
    } catch (const Error&) {  // the events have no times, as on a stream that is captured
      unread += launches;
    }
  };
  for (const PairUse& use : pairs) try_add(*use.get()->begin, *use.get()->end, *use.get()->labels, 1);
  for (const Stretch& stretch : stretches) {
    if (stretch.begin->times == stretch.begin_times && stretch.end->times == stretch.end_times)
      try_add(*stretch.begin->event, *stretch.end->event, *stretch.labels, stretch.launches);
    else  // it has been recorded again
      unread += stretch.launches;
  }
  trace_->trace().count_unplaced(unread);
  add(std::move(spans));
}

/// A stream runs its kernels one after the other. A kernel whose first event was recorded while another
/// kernel ran began when the other one had ended.
void TracedStream::add(std::vector<DeviceSpan> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const DeviceSpan& a, const DeviceSpan& b) { return a.end_ns < b.end_ns; });
  for (DeviceSpan& span : spans) {
    const std::int64_t begin = std::max(span.begin_ns, last_end_ns_);
    last_end_ns_ = std::max(span.end_ns, begin);
    trace_->trace().add({std::move(span.label), begin, last_end_ns_, track_});
  }
}

std::int64_t TracedStream::time_of(const Event& event) const {
  constexpr double kNanosecondsPerSecond = 1e9;
  return reference_ns_ + std::llround(event.seconds_since(*reference_) * kNanosecondsPerSecond);
}

/// Runs on an idle stream: the event is recorded between two readings of the clock, and its time is taken as
/// their middle. The narrowest of a few attempts is kept.
void TracedStream::take_reference() {
  constexpr int kTries = 3;
  std::int64_t narrowest = -1;
  try {
    for (int i = 0; i < kTries; ++i) {
      auto event = device_->create_event();
      const std::int64_t before = trace_->trace().now();
      event->record(*inner_);
      inner_->synchronize();
      const std::int64_t width = trace_->trace().now() - before;
      if (narrowest >= 0 && width >= narrowest) continue;
      narrowest = width;
      reference_ns_ = before + width / 2;
      reference_ = std::move(event);
    }
  } catch (const Error&) {
    if (!reference_) throw;  // otherwise the older reference is used
  }
  if (narrowest >= 0) trace_->trace().note_uncertainty(trace_->id(), (narrowest + 1) / 2);
}

void TracedEvent::record(Stream& stream) {
  auto& traced = dynamic_cast<TracedStream&>(stream);
  capture_ = traced.capture();
  if (measures_ && !traced.capture())
    traced.note_event(point_);  // first, so that its cost is not part of the program's measurement
  point_->event->record(traced.inner());
}

double TracedEvent::seconds_since(const Event& earlier) const {
  return point_->event->seconds_since(*dynamic_cast<const TracedEvent&>(earlier).point_->event);
}

}  // namespace kiln
