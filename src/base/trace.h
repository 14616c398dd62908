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

/// Subject of a span; its category in the file and the first word of its name.
enum class TraceKind {
  kVariant,
  kSpecialise,
  kGet,      ///< a request for the code of one unit
  kLookUp,   ///< a look-up in the cache on disk
  kCompile,  ///< one run of a compiler
  kKeep,     ///< code is written to the cache on disk
  kLoad,     ///< code is loaded onto a device
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

/// Name and arguments of a span. Spans with the same content may share one.
struct TraceLabel {
  TraceKind kind = TraceKind::kLaunch;
  std::string name;
  std::vector<std::pair<std::string, TraceValue>> arguments = {};
};
using SharedLabel = std::shared_ptr<const TraceLabel>;

/// "launch axpy"; the kind alone if `subject` is empty.
[[nodiscard]] TraceLabel make_label(TraceKind kind, std::string_view subject = {});

/// Joins the spans of one piece of code: where it was made, then where it was loaded, then where it first
/// ran. `id` 0: none.
struct TraceFlow {
  enum class Phase { kBegin, kNext, kEnd };
  std::uint64_t id = 0;
  Phase phase = Phase::kBegin;
};
/// Equal for equal code.
[[nodiscard]] std::uint64_t flow_of(std::string_view binary);

/// A span of time. Times are Clock::steady_ns.
struct TraceEvent {
  SharedLabel label;
  std::int64_t begin_ns = 0, end_ns = 0;
  std::size_t track = 0;  ///< result of Trace::track; 0: the track of the thread that records it
  TraceFlow flow = {};
};

/// A line of the picture: a thread of a process, or an object that is drawn like one.
struct TraceTrack {
  std::int64_t process = 0;
  std::string process_name;
  std::int64_t thread = 0;
  std::string thread_name;
};

/// Notified of each span as it begins and ends, on the span's thread, in nested pairs: a profiler's ranges.
class RangeSink {
 public:
  virtual ~RangeSink() = default;
  virtual void push(const char* name) noexcept = 0;
  virtual void pop() noexcept = 0;
};

/// The content of a trace at a moment.
struct TraceContent {
  std::vector<std::pair<TraceTrack, std::vector<TraceEvent>>> tracks;
  std::int64_t begin_ns = 0;         ///< steady time at which the file's time begins
  std::int64_t begin_system_ns = 0;  ///< the same moment as `begin_ns`, since 1970
  std::uint64_t dropped = 0;         ///< spans for which there was no room
  std::uint64_t unplaced = 0;        ///< launches with unknown time on their device
  std::map<std::string, std::int64_t>
      uncertainty_ns;  ///< by device: the largest uncertainty of a span's place
};

/// The activity of a process: what, when and on which thread. Each thread records into its own buffer and
/// takes a lock only at its first use of the trace; memory is bounded, and spans without room are counted.
/// Code that can be traced receives a pointer to one, null when tracing is off. Thread-safe.
class Trace {
 public:
  /// Limit of spans; a quarter as many more are kept of the few that contain others.
  static constexpr std::size_t kUsualEvents = 400'000;

  /// `recording` false: only the range sinks are called. `clock` outlives the trace.
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

  /// Assigns the calling thread a track. A span calls it when it begins: the track of a thread that ends
  /// meanwhile may hold spans that overlap it.
  void claim_track() noexcept;
  /// Keeps a span that has ended.
  void add(TraceEvent event) noexcept;
  /// Names the calling thread's track, unless an earlier thread of this track has named it.
  void name_thread(std::string_view name) noexcept;
  /// The number of a track that is not a thread of this process; equal for equal process and thread.
  [[nodiscard]] std::size_t track(const TraceTrack& track);
  /// A number for something that is not a process, above all that the kernel assigns; equal for equal names.
  [[nodiscard]] std::int64_t process_for(const std::string& name);

  void count_unplaced(std::uint64_t launches) noexcept { unplaced_ += launches; }
  /// A span of this device may be displaced by this much; the largest value counts.
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

  /// Whether added arguments will be recorded.
  explicit operator bool() const { return own_ != nullptr; }
  /// Only for a span with its own label.
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
