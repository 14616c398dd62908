#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>

#include "base/clock.h"
#include "base/trace.h"
#include "cache/disk_cache.h"
#include "compile/compiler.h"
#include "device/device.h"
#include "service/code_memory.h"
#include "service/compile_slots.h"
#include "service/finishing_tasks.h"
#include "service/progress_report.h"
#include "service/service_tally.h"
#include "service/single_flight.h"
#include "specialize/specialization.h"

namespace kiln {

/// The file and its kernels: "cg.cu axpy<double>".
[[nodiscard]] std::string name_of(const Specialization& specialization);

/// A code object on its way to a device.
struct ObtainedCode {
  std::shared_ptr<const CodeObject> code;
  Origin origin = Origin::kMemory;
  double compile_seconds = 0;
  double load_seconds = 0;
};

/// A request: code for a specialization, for a device or for none. The objects that it refers to outlive it.
struct CodeRequest {
  const Specialization& specialization;
  Compiler& compiler;
  const std::shared_ptr<Device>& device;  ///< null: on none
  CacheKey key;
  std::string device_id;          ///< "" for none
  void* caller_stream = nullptr;  ///< its own, where it has one; it may be captured
  Urgency urgency = Urgency::kWanted;
  std::stop_token stop = {};
  /// Reads code that was found without asking the compiler: of a bundle, or of the cache where there is no
  /// compiler. Empty: the code is looked for by the key.
  std::function<std::optional<ObtainedCode>()> shipped = {};
  std::shared_ptr<ProgressReport> progress = {};  ///< null: progress is not reported

  void describe(TraceSpan& span) const;
  /// Throws bad_input while a stream on the device is captured into a graph.
  void require_no_capture() const;
  /// Throws Cancelled where the program does not want the stage to begin.
  void begin(GetProgress::Stage stage) const {
    if (progress) progress->begin(stage);
  }
  [[nodiscard]] bool stopped() const { return stop.stop_requested() || (progress && progress->cancelled()); }
};

using ObtainResult = std::variant<ObtainedCode, Diagnostic>;

/// Code from this process's memory, the disk, or a compiler. A key is compiled once however many threads ask.
/// No lock is held while reading, writing or compiling. A caller that waits for a compile gets the code
/// before it is on the disk: another thread writes it, under the key's lock, and before the source is
/// destroyed. The same holds for the note that an entry was used. Thread-safe.
class CodeSource {
 public:
  /// Arguments as for KernelService; all outlive it.
  CodeSource(DiskCache* disk, const Clock& clock, int jobs, Trace* trace, CodeMemory& memory,
             ServiceTally& tally)
      : disk_(disk), clock_(clock), trace_(trace), slots_(jobs), memory_(memory), tally_(tally) {}

  /// Obtains the code by any means; joins a thread that already works on it. Throws Cancelled if the request
  /// was stopped.
  [[nodiscard]] SingleFlight<ObtainResult>::Outcome obtain(const CodeRequest& request);
  /// From memory and disk only, without waiting for another thread.
  [[nodiscard]] std::optional<ObtainedCode> find(const CodeRequest& request);

  /// Obtains code ahead of a request; the first request reports its cost.
  void make_ahead(const CodeRequest& request);
  /// Until all code that was handed out is on the disk, or could not be written.
  void finish_writing() { writing_.finish(); }
  /// Forgets code that was made ahead, if it was never requested.
  void forget_ahead(const std::string& digest) { static_cast<void>(take_ahead(digest)); }

  /// Does the work, or waits for the thread that does it; repeats this if that thread was stopped and this
  /// one was not.
  template <class Value, class Make>
  typename SingleFlight<Value>::Outcome join(SingleFlight<Value>& flights, const std::string& flight,
                                             const CodeRequest& request, Make make) {
    std::optional<std::int64_t> waiting_since;
    auto outcome = run(flights, flight, request, make, [&] {
      request.begin(GetProgress::Stage::kWaiting);
      if (!waiting_since) {
        waiting_since = clock_.steady_ns();
        tally_.count(&ServiceCounters::waited);
      }
      if (request.urgency == Urgency::kWanted) slots_.raise(request.key.digest);
    });
    if (waiting_since) {
      const double seconds = seconds_since(*waiting_since);
      tally_.update([&](ServiceCounters& counters) { counters.wait_seconds += seconds; });
    }
    return outcome;
  }

 private:
  template <class Value, class Make, class OnWait>
  static typename SingleFlight<Value>::Outcome run(SingleFlight<Value>& flights, const std::string& flight,
                                                   const CodeRequest& request, Make make, OnWait on_wait) {
    for (;;) {
      try {
        return flights.run(flight, make, on_wait, request.stop);
      } catch (const Cancelled&) {
        if (request.stopped()) throw;
      }
    }
  }
  [[nodiscard]] ObtainResult obtain_alone(const CodeRequest& request);
  [[nodiscard]] ObtainResult compile(const CodeRequest& request);
  [[nodiscard]] CompileResult run_compiler(const CodeRequest& request);
  /// `ask` asks the disk.
  [[nodiscard]] CacheTurn look_up(const CodeRequest& request, const std::function<CacheTurn()>& ask,
                                  double& seconds);
  void note_use(const CodeRequest& request);
  void keep(const CodeRequest& request, const std::shared_ptr<const CodeObject>& code, KeyLock lock);
  void publish(const CacheKey& key, const CodeObject& code, const CacheEntryLabel& label,
               const std::string& source_name);
  void upload(const std::string& digest, const std::string& source_name);
  [[nodiscard]] std::optional<ObtainResult> take_ahead(const std::string& digest);
  /// Null where nothing is kept.
  [[nodiscard]] DiskCache* disk_for(const CodeRequest& request) const;
  [[nodiscard]] double seconds_since(std::int64_t begin_ns) const {
    return seconds_between(begin_ns, clock_.steady_ns());
  }

  DiskCache* disk_;
  const Clock& clock_;
  Trace* trace_;  // null: none
  CompileSlots slots_;
  CodeMemory& memory_;
  ServiceTally& tally_;
  SingleFlight<ObtainResult> flights_;  // by digest: two devices share a compile
  std::mutex mutex_;
  std::map<std::string, ObtainResult> ahead_;  // by digest; made ahead and not requested yet
  FinishingTasks writing_;                     // last: ends before what it works on
};

}  // namespace kiln
