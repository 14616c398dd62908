#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"

namespace kiln {

class TraceBuffer;

/// What a span is about; its category in the file and the first word of its name.
enum class TraceKind {
  kVariant,
  kSpecialise,
  kGet,      ///< code for one unit, from wherever
  kLookUp,   ///< in the cache on disk
  kCompile,  ///< one run of a compiler
  kKeep,     ///< code goes into the cache on disk
  kLoad,     ///< code goes onto a device
  kInputs,   ///< buffers are filled
  kVerify,
  kMeasure,
  kSample,
  kLaunch,
  kWait,
  kCopy,
  kKernel,  ///< on a device: a kernel, or several, between two events
};
[[nodiscard]] const char* to_string(TraceKind kind);

using TraceValue = std::variant<std::int64_t, double, bool, std::string>;

/// What is told of a span. Spans of the same content may share one.
struct TraceLabel {
  TraceKind kind = TraceKind::kLaunch;
  std::string name;
  std::vector<std::pair<std::string, TraceValue>> arguments = {};
};
using SharedLabel = std::shared_ptr<const TraceLabel>;

/// "launch axpy"; the kind alone where `subject` is empty.
[[nodiscard]] TraceLabel make_label(TraceKind kind, std::string_view subject = {});

/// Joins the spans through which one piece of code goes: where it was made, then where it was loaded, then
/// where it first ran. `id` 0: none.
struct TraceFlow {
  enum class Phase { kBegin, kNext, kEnd };
  std::uint64_t id = 0;
  Phase phase = Phase::kBegin;
};
/// The same for the same code.
[[nodiscard]] std::uint64_t flow_of(std::string_view binary);

/// A span of time. Times are Clock::steady_ns.
struct TraceEvent {
  SharedLabel label;
  std::int64_t begin_ns = 0, end_ns = 0;
  std::size_t track = 0;  ///< of Trace::track; 0: that of the thread that records it
  TraceFlow flow = {};
};

/// A line of the picture: a thread of a process, or what is drawn like one.
struct TraceTrack {
  std::int64_t process = 0;
  std::string process_name;
  std::int64_t thread = 0;
  std::string thread_name;
};

/// Told of each span as it begins and ends, on the thread that it is on, in pairs that nest: a profiler's
/// ranges.
class RangeSink {
 public:
  virtual ~RangeSink() = default;
  virtual void push(const char* name) noexcept = 0;
  virtual void pop() noexcept = 0;
};

/// All that a trace holds at a moment.
struct TraceContent {
  std::vector<std::pair<TraceTrack, std::vector<TraceEvent>>> tracks;
  std::int64_t begin_ns = 0;                           ///< steady time that the file counts from
  std::int64_t begin_system_ns = 0;                    ///< the same moment since 1970
  std::uint64_t dropped = 0;                           ///< spans for which there was no room
  std::uint64_t unplaced = 0;                          ///< launches whose time on their device is not known
  std::map<std::string, std::int64_t> uncertainty_ns;  ///< by device: of a span's place, at most
};

/// What a process did, when and on which thread. A thread records into a buffer of its own and takes a lock
/// only where it meets the trace for the first time; memory is bounded, and what finds no room is counted.
/// Everything that can be traced is given a pointer to one, null where nobody wants a trace. Thread-safe.
class Trace {
 public:
  /// Spans, and beyond these a quarter as many of those that are few and hold others.
  static constexpr std::size_t kUsualEvents = 400'000;

  /// `recording` false: only the ranges are told. `clock` outlives the trace.
  Trace(const Clock& clock, bool recording, std::vector<std::unique_ptr<RangeSink>> ranges,
        std::size_t most_events = kUsualEvents);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  [[nodiscard]] bool recording() const { return recording_; }
  [[nodiscard]] std::int64_t now() const { return clock_.steady_ns(); }

  void push_range(const char* name) noexcept {
    for (const auto& sink : ranges_) sink->push(name);
  }
  void pop_range() noexcept {
    for (const auto& sink : ranges_) sink->pop();
  }

  /// Gives the calling thread a track. A span asks for it when it begins: the track of a thread that ends
  /// meanwhile may hold spans that overlap it.
  void claim_track() noexcept;
  /// Keeps a span that has ended.
  void add(TraceEvent event) noexcept;
  /// Names the calling thread's track, unless an earlier thread of this track has done so.
  void name_thread(std::string_view name) noexcept;
  /// The number of a track that is no thread of this process; the same for the same process and thread.
  [[nodiscard]] std::size_t track(const TraceTrack& track);
  /// A process number for what is none, above all that the kernel gives out; the same for the same name.
  [[nodiscard]] std::int64_t process_for(const std::string& name);

  void count_unplaced(std::uint64_t launches) noexcept { unplaced_ += launches; }
  /// A span of this device may lie so far from where it is drawn; the largest counts.
  void note_uncertainty(const std::string& device, std::int64_t ns);

  [[nodiscard]] TraceContent content() const;

 private:
  [[nodiscard]] TraceBuffer* buffer_of_this_thread();
  [[nodiscard]] std::shared_ptr<TraceBuffer> join_buffer();

  const Clock& clock_;
  const bool recording_;
  const std::uint64_t id_;
  const std::vector<std::unique_ptr<RangeSink>> ranges_;
  const std::size_t most_events_;
  const std::int64_t begin_ns_, begin_system_ns_;
  std::atomic<std::size_t> events_{0};
  std::atomic<std::uint64_t> dropped_{0}, unplaced_{0};
  mutable std::mutex mutex_;  // of what follows
  std::vector<std::shared_ptr<TraceBuffer>> buffers_;
  std::map<std::int64_t, std::string> thread_names_;  // by number of the buffer
  std::vector<TraceTrack> tracks_;
  std::map<std::string, std::int64_t> processes_, uncertainty_ns_;
};

/// A span from here to the end of the scope, on the calling thread. With a null trace it does nothing.
class TraceSpan {
 public:
  TraceSpan(Trace* trace, TraceKind kind, std::string_view subject = {});
  TraceSpan(Trace* trace, SharedLabel label);
  ~TraceSpan();
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

  /// Whether somebody will see what is added.
  explicit operator bool() const { return own_ != nullptr; }
  /// Only to a span with a label of its own.
  void add(std::string_view name, std::string_view text);
  void add(std::string_view name, const char* text) { add(name, std::string_view(text)); }
  template <std::integral Number>
  void add(std::string_view name, Number number) {
    if constexpr (std::same_as<Number, bool>)
      add_value(name, number);
    else
      add_value(name, static_cast<std::int64_t>(number));
  }
  void flow(TraceFlow flow) { event_.flow = flow; }

 private:
  void add_value(std::string_view name, TraceValue value);

  Trace* trace_;
  std::shared_ptr<TraceLabel> own_;
  TraceEvent event_;
  int exceptions_ = 0;
};

}  // namespace kiln
