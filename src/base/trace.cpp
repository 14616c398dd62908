#include "base/trace.h"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <functional>

#include "base/trace_buffer.h"
#include "base/unique_handle.h"

namespace kiln {
namespace {

/// Above all process numbers of Linux (PID_MAX_LIMIT).
constexpr std::int64_t kFirstNoProcess = (std::int64_t{1} << 22) + 1;

/// Identifies a trace, also when a later one has the same address.
std::uint64_t next_trace_id() {
  static std::atomic<std::uint64_t> next{1};
  return next++;
}

struct LeftBuffer {
  using Handle = std::shared_ptr<TraceBuffer>;
  static Handle null() { return nullptr; }
  static void close(const Handle& buffer) noexcept { buffer->disown(); }
};

/// The buffer of a thread in a trace, left to other threads when the thread ends.
struct OwnedBuffer {
  std::uint64_t trace = 0;
  TraceBuffer* buffer = nullptr;
  UniqueHandle<LeftBuffer> owner;
};

/// Such spans are few and contain others: they are dropped last.
bool is_frame(TraceKind kind) {
  switch (kind) {
    case TraceKind::kSample:
    case TraceKind::kLaunch:
    case TraceKind::kWait:
    case TraceKind::kCopy:
    case TraceKind::kKernel:
      return false;
    default:
      return true;
  }
}

}  // namespace

const char* to_string(TraceKind kind) {
  switch (kind) {
    case TraceKind::kVariant:
      return "variant";
    case TraceKind::kSpecialise:
      return "specialise";
    case TraceKind::kGet:
      return "get";
    case TraceKind::kLookUp:
      return "look-up";
    case TraceKind::kCompile:
      return "compile";
    case TraceKind::kKeep:
      return "keep";
    case TraceKind::kLoad:
      return "load";
    case TraceKind::kInputs:
      return "inputs";
    case TraceKind::kVerify:
      return "verify";
    case TraceKind::kMeasure:
      return "measure";
    case TraceKind::kSample:
      return "sample";
    case TraceKind::kLaunch:
      return "launch";
    case TraceKind::kWait:
      return "wait";
    case TraceKind::kCopy:
      return "copy";
    case TraceKind::kKernel:
      return "kernel";
  }
  return "unknown";
}

TraceLabel make_label(TraceKind kind, std::string_view subject) {
  TraceLabel label{kind, to_string(kind)};
  if (!subject.empty()) label.name.append(" ").append(subject);
  return label;
}

std::uint64_t flow_of(std::string_view binary) {
  // Readers of JSON keep numbers as doubles: at most 52 bits.
  return (std::hash<std::string_view>()(binary) >> 12) | 1U;
}

Trace::Trace(const Clock& clock, bool recording, std::vector<std::unique_ptr<RangeSink>> ranges,
             std::size_t most_events)
    : clock_(clock),
      recording_(recording),
      id_(next_trace_id()),
      ranges_(std::move(ranges)),
      most_events_(most_events),
      begin_ns_(clock.steady_ns()),
      begin_system_ns_(clock.system_ns()) {
  if (::gettid() == ::getpid()) name_thread("main");
}

Trace::~Trace() = default;

std::shared_ptr<TraceBuffer> Trace::join_buffer() {
  const std::lock_guard lock(mutex_);
  for (const auto& buffer : buffers_) {
    if (buffer->try_own()) return buffer;
  }
  buffers_.push_back(std::make_shared<TraceBuffer>(static_cast<std::int64_t>(buffers_.size()) + 1));
  return buffers_.back();
}

TraceBuffer* Trace::buffer_of_this_thread() {
  thread_local std::vector<OwnedBuffer>
      here;  // buffers in the traces that this thread has used, nearly always one
  for (const OwnedBuffer& owned : here) {
    if (owned.trace == id_) return owned.buffer;
  }
  // A destroyed trace has left its buffer to this pointer and to the one that `get` makes.
  std::erase_if(here, [](const OwnedBuffer& owned) { return owned.owner.get().use_count() == 2; });
  here.reserve(here.size() + 1);
  std::shared_ptr<TraceBuffer> joined = join_buffer();
  TraceBuffer* buffer = joined.get();
  here.push_back({id_, buffer, UniqueHandle<LeftBuffer>(std::move(joined))});
  return buffer;
}

void Trace::claim_track() noexcept {
  if (!recording_) return;
  try {
    static_cast<void>(buffer_of_this_thread());
  } catch (const std::bad_alloc&) {  // `add` tries again
  }
}

void Trace::add(TraceEvent event) noexcept {
  if (!recording_) return;
  const std::size_t room = is_frame(event.label->kind) ? most_events_ + most_events_ / 4 : most_events_;
  if (events_.load(std::memory_order_relaxed) >= room) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  try {
    buffer_of_this_thread()->append(std::move(event));
    events_.fetch_add(1, std::memory_order_relaxed);
  } catch (const std::bad_alloc&) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
  }
}

void Trace::name_thread(std::string_view name) noexcept {
  if (!recording_) return;
  try {
    const std::int64_t number = buffer_of_this_thread()->number();
    const std::lock_guard lock(mutex_);
    thread_names_.try_emplace(number, name);
  } catch (const std::bad_alloc&) {  // it stays without a name
  }
}

std::size_t Trace::track(const TraceTrack& track) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(tracks_.begin(), tracks_.end(), [&](const TraceTrack& known) {
    return known.process == track.process && known.thread == track.thread;
  });
  if (found != tracks_.end()) return static_cast<std::size_t>(found - tracks_.begin()) + 1;
  tracks_.push_back(track);
  return tracks_.size();
}

std::int64_t Trace::process_for(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return processes_.try_emplace(name, kFirstNoProcess + static_cast<std::int64_t>(processes_.size()))
      .first->second;
}

void Trace::note_uncertainty(const std::string& device, std::int64_t ns) {
  const std::lock_guard lock(mutex_);
  std::int64_t& known = uncertainty_ns_[device];
  known = std::max(known, ns);
}

TraceContent Trace::content() const {
  const std::lock_guard lock(mutex_);
  TraceContent content{{}, begin_ns_, begin_system_ns_, dropped_, unplaced_, uncertainty_ns_};
  std::vector<std::vector<TraceEvent>> elsewhere(tracks_.size());
  for (const auto& buffer : buffers_) {
    const auto name = thread_names_.find(buffer->number());
    TraceTrack track{::getpid(), "kiln", buffer->number(),
                     name == thread_names_.end() ? "thread" : name->second};
    auto& [_, own] = content.tracks.emplace_back(std::move(track), std::vector<TraceEvent>());
    for (TraceEvent& event : buffer->events())
      (event.track == 0 ? own : elsewhere[event.track - 1]).push_back(std::move(event));
  }
  for (std::size_t i = 0; i < tracks_.size(); ++i)
    content.tracks.emplace_back(tracks_[i], std::move(elsewhere[i]));
  return content;
}

TraceSpan::TraceSpan(Trace* trace, TraceKind kind, std::string_view subject) : trace_(trace) {
  if (trace_ == nullptr) return;
  own_ = std::make_shared<TraceLabel>(make_label(kind, subject));
  exceptions_ = std::uncaught_exceptions();
  trace_->push_range(own_->name.c_str());
  trace_->claim_track();
  event_.begin_ns = trace_->now();
}

TraceSpan::TraceSpan(Trace* trace, SharedLabel label) : trace_(trace) {
  if (trace_ == nullptr) return;
  event_.label = std::move(label);
  trace_->push_range(event_.label->name.c_str());
  trace_->claim_track();
  event_.begin_ns = trace_->now();
}

TraceSpan::~TraceSpan() {
  if (trace_ == nullptr) return;
  event_.end_ns = trace_->now();
  trace_->pop_range();
  if (own_ && std::uncaught_exceptions() > exceptions_) add("failed", true);
  if (own_) event_.label = std::move(own_);
  trace_->add(std::move(event_));
}

void TraceSpan::add(std::string_view name, std::string_view text) {
  if (own_) add_value(name, std::string(text));
}

void TraceSpan::add_value(std::string_view name, TraceValue value) {
  if (own_) own_->arguments.emplace_back(name, std::move(value));
}

}  // namespace kiln
