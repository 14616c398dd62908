#include "service/kernel_service.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "base/text.h"
#include "kiln/error.h"
#include "service/compile_slots.h"
#include "service/single_flight.h"
#include "service/task_threads.h"

namespace kiln {
namespace {

/// A code object on its way to a device.
struct ObtainedCode {
  std::shared_ptr<const CodeObject> code;
  Origin origin = Origin::kMemory;
  double compile_seconds = 0;
  double load_seconds = 0;
};

using ObtainResult = std::variant<ObtainedCode, Diagnostic>;
using GetResult = std::variant<ServiceResult, Diagnostic>;

/// A compile made ahead that nobody needs any more.
struct Cancelled {};

std::string entries_text(const Specialization& specialization) {
  std::vector<std::string> words;
  for (const EntryPoint& entry : specialization.entries) words.push_back(entry.name_expression);
  return join(words, " ");
}

CacheEntryLabel label_of(const Specialization& specialization, const CompilerIdentity& compiler) {
  return CacheEntryLabel{specialization.source_name + " " + entries_text(specialization),
                         specialization.target.to_string(), compiler.name + " " + compiler.version,
                         specialization.source_text};
}

}  // namespace

const char* to_string(Origin origin) {
  switch (origin) {
    case Origin::kMemory:
      return "memory";
    case Origin::kDisk:
      return "disk";
    case Origin::kCompiled:
      return "compiled";
    case Origin::kWaited:
      return "waited";
  }
  return "unknown";
}

/// What is known under one digest. `code` lives until the first device has loaded it; from then on `loaded`
/// has it.
struct Remembered {
  std::weak_ptr<const CodeObject> code;
  std::map<std::string, std::shared_ptr<LoadedCode>> loaded;  ///< by device id, "" for none
};

struct KernelService::State {
  State(DiskCache* disk_cache, const Clock& clock_to_use, int jobs_at_once, Trace* trace_to_use)
      : disk(disk_cache), clock(clock_to_use), jobs(jobs_at_once), trace(trace_to_use), slots(jobs_at_once) {}

  /// What one call asks for.
  struct Request {
    const Specialization& specialization;
    Compiler& compiler;
    const std::shared_ptr<Device>& device;
    CacheKey key;
    std::string device_id;
    void* caller_stream;
    Urgency urgency = Urgency::kWanted;
    std::stop_token stop = {};
  };

  GetResult get(const Request& request) {
    TraceSpan span(trace, TraceKind::kGet, request.specialization.source_name);
    describe(request, span);
    GetResult result = get_somehow(request);
    const auto* found = std::get_if<ServiceResult>(&result);
    span.add("origin", found != nullptr ? to_string(found->origin) : "failed");
    return result;
  }

  static void describe(const Request& request, TraceSpan& span) {
    if (!span) return;
    span.add("kernels", entries_text(request.specialization));
    span.add("key", request.key.digest);
    if (!request.device_id.empty()) span.add("device", request.device_id);
    if (request.urgency == Urgency::kAhead) span.add("ahead", true);
  }

  GetResult get_somehow(const Request& request) {
    if (auto hit = find_loaded(request)) return *std::move(hit);
    auto outcome =
        join(loads, request.key.digest + "@" + request.device_id, request, [&] { return load(request); });
    auto* result = std::get_if<ServiceResult>(&outcome.value);
    if (outcome.waited && result != nullptr) {
      result->origin = Origin::kWaited;
      result->compile_seconds = result->load_seconds = 0;
    }
    return std::move(outcome.value);
  }

  /// Does the work, or waits for who does it already; again, where that one was told to stop and this one
  /// not.
  template <class Value, class Make>
  typename SingleFlight<Value>::Outcome join(SingleFlight<Value>& flights, const std::string& flight,
                                             const Request& request, Make make) {
    for (;;) {
      std::optional<std::int64_t> waiting_since;
      const auto wait = [&] {
        waiting_since = clock.steady_ns();
        count(&ServiceCounters::waited);
        if (request.urgency == Urgency::kWanted) slots.raise(request.key.digest);
      };
      try {
        auto outcome = flights.run(flight, make, wait);
        if (waiting_since) add(&ServiceCounters::wait_seconds, seconds_since(*waiting_since));
        return outcome;
      } catch (const Cancelled&) {
        if (request.stop.stop_requested()) throw;
      }
    }
  }

  std::optional<ServiceResult> find(const Request& request) {
    if (auto hit = find_loaded(request)) return std::get<ServiceResult>(*std::move(hit));
    ObtainedCode obtained{find_code(request.key.digest), Origin::kMemory, 0, 0};
    if (obtained.code) {
      count(&ServiceCounters::memory_hits);
    } else if (DiskCache* kept = disk_for(request); kept != nullptr) {
      const std::int64_t begin = clock.steady_ns();
      CacheTurn turn;
      {
        TraceSpan span(trace, TraceKind::kLookUp, request.specialization.source_name);
        turn.code = kept->load(request.key);
        tell(turn, span);
      }
      const double seconds = seconds_since(begin);
      count_turn(turn, seconds);
      if (turn.code)
        obtained = {remember(request.key.digest, *std::move(turn.code)), Origin::kDisk, 0, seconds};
    }
    if (!obtained.code) return std::nullopt;
    return put_on_device(obtained, request);
  }

  /// Looks in memory again: whoever led before may have landed since the caller looked.
  GetResult load(const Request& request) {
    if (auto hit = find_loaded(request)) return *std::move(hit);
    auto outcome = obtain_once(request);
    if (auto* diagnostic = std::get_if<Diagnostic>(&outcome.value)) return std::move(*diagnostic);
    ObtainedCode& obtained = std::get<ObtainedCode>(outcome.value);
    if (outcome.waited) obtained = ObtainedCode{obtained.code, Origin::kWaited, 0, 0};
    return put_on_device(obtained, request);
  }

  ServiceResult put_on_device(const ObtainedCode& obtained, const Request& request) {
    require_no_capture(request);
    const std::int64_t begin = clock.steady_ns();
    auto loaded = load_on_device(*obtained.code, request.device);
    const double seconds = seconds_since(begin);
    const std::lock_guard lock(mutex);
    memory[request.key.digest].loaded[request.device_id] = loaded;
    counters.load_seconds += seconds;
    return ServiceResult{std::move(loaded), obtained.origin, request.key, obtained.compile_seconds,
                         obtained.load_seconds + seconds};
  }

  static void require_no_capture(const Request& request) {
    if (!request.device) return;
    Device& device = *request.device;
    const bool captured = device.is_capturing(nullptr) ||
                          (request.caller_stream != nullptr && device.is_capturing(request.caller_stream));
    if (!captured) return;
    throw bad_input(
        "kernel '" + request.specialization.source_name + "': a stream on " + request.device_id +
        " is being captured into a graph; nothing is compiled or loaded meanwhile: get the kernel "
        "before the capture begins");
  }

  /// Joins whoever works on it already. What was made ahead for this caller is its own.
  SingleFlight<ObtainResult>::Outcome obtain_once(const Request& request) {
    const std::string& digest = request.key.digest;
    auto outcome = join(codes, digest, request, [&] { return obtain(request); });
    if (!outcome.waited) return outcome;
    if (auto made = take_ahead(digest)) return {*std::move(made), false};
    return outcome;
  }

  /// What `compile_ahead` does for one key.
  void make_ahead(const WantedCode& wanted, const CacheKey& key, const std::stop_token& stop) {
    const Request request{
        wanted.specialization, *wanted.compiler, nullptr, key, "", nullptr, Urgency::kAhead, stop};
    if (find_code(key.digest)) return;
    TraceSpan span(trace, TraceKind::kGet, wanted.specialization.source_name);
    describe(request, span);
    const auto make = [&] {
      ObtainResult result = obtain(request);
      const std::lock_guard lock(mutex);
      ahead.insert_or_assign(key.digest, result);
      return result;
    };
    static_cast<void>(codes.run(key.digest, make, [] {}));
  }

  std::optional<ObtainResult> take_ahead(const std::string& digest) {
    const std::lock_guard lock(mutex);
    auto found = ahead.extract(digest);
    if (found.empty()) return std::nullopt;
    return std::move(found.mapped());
  }

  ObtainResult obtain(const Request& request) {
    if (auto made = take_ahead(request.key.digest)) return *std::move(made);
    if (auto code = find_code(request.key.digest)) {
      count(&ServiceCounters::memory_hits);
      return ObtainedCode{std::move(code), Origin::kMemory, 0, 0};
    }
    DiskCache* kept = disk_for(request);
    if (kept == nullptr) return compile(request);
    const std::int64_t begin = clock.steady_ns();
    CacheTurn turn = look_up(*kept, request);
    const double seconds = seconds_since(begin);
    count_turn(turn, seconds);
    if (turn.code) {
      auto code = remember(request.key.digest, *std::move(turn.code));
      return ObtainedCode{std::move(code), turn.waited ? Origin::kWaited : Origin::kDisk, 0,
                          turn.waited ? 0 : seconds};
    }
    ObtainResult result = compile(request);
    if (std::holds_alternative<Diagnostic>(result)) kept->give_up(std::move(turn.lock));
    return result;
  }

  CacheTurn look_up(DiskCache& kept, const Request& request) const {
    TraceSpan span(trace, TraceKind::kLookUp, request.specialization.source_name);
    CacheTurn turn = kept.load_or_lock(request.key);
    tell(turn, span);
    return turn;
  }

  /// Code that is found begins its way to a device here, as that which is compiled does in its compile.
  static void tell(const CacheTurn& turn, TraceSpan& span) {
    if (!span) return;
    span.add("hit", turn.code.has_value());
    if (turn.waited) span.add("waited_for_another_process", true);
    if (!turn.code) return;
    span.add("bytes", turn.code->binary.size());
    span.flow({flow_of(turn.code->binary), TraceFlow::Step::kBegin});
  }

  void count_turn(const CacheTurn& turn, double seconds) {
    const std::lock_guard lock(mutex);
    if (turn.code) counters.bytes_read += turn.code->binary.size();
    if (turn.waited) {
      ++counters.waited;
      ++counters.waited_processes;
      counters.wait_seconds += seconds;
    } else if (turn.code) {
      ++counters.disk_hits;
      counters.read_seconds += seconds;
    }
  }

  /// Null where nothing is kept.
  [[nodiscard]] DiskCache* disk_for(const Request& request) const {
    return request.specialization.unknown_input.empty() ? disk : nullptr;
  }

  ObtainResult compile(const Request& request) {
    require_no_capture(request);
    const CompileSlot slot = slots.take(request.key.digest, request.urgency, request.stop);
    if (!slot) throw Cancelled();
    const std::int64_t begin = clock.steady_ns();
    CompileResult result = run_compiler(request);
    const double seconds = seconds_since(begin);
    const bool compiled = std::holds_alternative<CodeObject>(result);
    {
      const std::lock_guard lock(mutex);
      ++(compiled ? counters.compiled : counters.failed);
      (compiled ? counters.compile_seconds : counters.failed_seconds) += seconds;
    }
    if (!compiled) return std::get<Diagnostic>(std::move(result));
    auto code = remember(request.key.digest, std::get<CodeObject>(std::move(result)));
    if (DiskCache* kept = disk_for(request); kept != nullptr) publish(*kept, request, *code);
    return ObtainedCode{std::move(code), Origin::kCompiled, seconds, 0};
  }

  void publish(DiskCache& kept, const Request& request, const CodeObject& code) {
    TraceSpan span(trace, TraceKind::kKeep, request.specialization.source_name);
    span.add("bytes", code.binary.size());
    const std::int64_t begin = clock.steady_ns();
    kept.publish(request.key, code, label_of(request.specialization, request.compiler.identity()));
    const double seconds = seconds_since(begin);
    const bool written = kept.disabled_reason().empty();
    const std::lock_guard lock(mutex);
    counters.write_seconds += seconds;
    if (written) counters.bytes_written += code.binary.size();
  }

  CompileResult run_compiler(const Request& request) {
    try {
      return request.compiler.compile(request.specialization);
    } catch (...) {
      count(&ServiceCounters::failed);
      throw;
    }
  }

  std::shared_ptr<LoadedCode> load_on_device(const CodeObject& code, const std::shared_ptr<Device>& device) {
    try {
      return std::make_shared<LoadedCode>(code, device);
    } catch (...) {
      count(&ServiceCounters::failed);
      throw;
    }
  }

  std::optional<GetResult> find_loaded(const Request& request) {
    const std::lock_guard lock(mutex);
    const auto known = memory.find(request.key.digest);
    if (known == memory.end()) return std::nullopt;
    const auto loaded = known->second.loaded.find(request.device_id);
    if (loaded == known->second.loaded.end()) return std::nullopt;
    ++counters.memory_hits;
    return ServiceResult{loaded->second, Origin::kMemory, request.key, 0, 0};
  }

  std::shared_ptr<const CodeObject> find_code(const std::string& digest) {
    const std::lock_guard lock(mutex);
    const auto known = memory.find(digest);
    if (known == memory.end()) return nullptr;
    if (auto code = known->second.code.lock()) return code;
    if (known->second.loaded.empty()) return nullptr;
    const std::shared_ptr<LoadedCode>& loaded = known->second.loaded.begin()->second;
    return {loaded, &loaded->code()};
  }

  std::shared_ptr<const CodeObject> remember(const std::string& digest, CodeObject code) {
    auto kept = std::make_shared<const CodeObject>(std::move(code));
    const std::lock_guard lock(mutex);
    memory[digest].code = kept;
    return kept;
  }

  [[nodiscard]] double seconds_since(std::int64_t begin_ns) const {
    return seconds_between(begin_ns, clock.steady_ns());
  }

  void count(std::uint64_t ServiceCounters::*counter) {
    const std::lock_guard lock(mutex);
    ++(counters.*counter);
  }

  void add(double ServiceCounters::*seconds, double more) {
    const std::lock_guard lock(mutex);
    counters.*seconds += more;
  }

  DiskCache* disk;
  const Clock& clock;
  int jobs;
  Trace* trace;  // null: none
  CompileSlots slots;
  SingleFlight<GetResult> loads;     // by digest and device
  SingleFlight<ObtainResult> codes;  // by digest: two devices share a compile
  std::mutex mutex;                  // of what follows; never held during input, output, compiling or loading
  std::map<std::string, Remembered> memory;   // by digest
  std::map<std::string, ObtainResult> ahead;  // by digest; made ahead and not asked for yet
  ServiceCounters counters;
};

class KernelService::Ahead final : public CompileAhead {
 public:
  Ahead(State& state, std::vector<WantedCode> wanted)
      : unclaimed_(new Unclaimed{state, {}, {}}),
        wanted_(std::move(wanted)),
        threads_(static_cast<std::size_t>(state.jobs), wanted_.size(),
                 [this](std::size_t i, const std::stop_token& stop) { make(wanted_[i], stop); }) {}

  void wait() override { threads_.wait(); }
  bool wait_for(std::chrono::milliseconds limit) override { return threads_.wait_for(limit); }

 private:
  /// Digests of what was begun; forgets what nobody asked for.
  struct Unclaimed {
    State& state;
    std::mutex mutex;
    std::set<std::string> digests;
  };
  struct Forget {
    void operator()(Unclaimed* unclaimed) const {
      for (const std::string& digest : unclaimed->digests)
        static_cast<void>(unclaimed->state.take_ahead(digest));
      delete unclaimed;
    }
  };

  /// What goes wrong here is met again, and told, by the one who asks.
  void make(const WantedCode& wanted, const std::stop_token& stop) noexcept {
    try {
      if (Trace* trace = unclaimed_->state.trace; trace != nullptr) trace->name_thread("makes code ahead");
      const CacheKey key = make_cache_key(wanted.specialization, *wanted.compiler);
      {
        const std::lock_guard lock(unclaimed_->mutex);
        if (!unclaimed_->digests.insert(key.digest).second) return;
      }
      unclaimed_->state.make_ahead(wanted, key, stop);
    } catch (...) {
      return;
    }
  }

  std::unique_ptr<Unclaimed, Forget> unclaimed_;
  std::vector<WantedCode> wanted_;
  TaskThreads threads_;  // last: ends before what it works on
};

std::unique_ptr<CompileAhead> KernelService::compile_ahead(std::vector<WantedCode> wanted) {
  return std::make_unique<Ahead>(*state_, std::move(wanted));
}

KernelService::KernelService(DiskCache* disk, const Clock& clock, int jobs, Trace* trace)
    : state_(std::make_unique<State>(disk, clock, jobs > 0 ? jobs : usable_cores(), trace)) {}

KernelService::~KernelService() = default;

std::variant<ServiceResult, Diagnostic> KernelService::get(const Specialization& specialization,
                                                           Compiler& compiler,
                                                           const std::shared_ptr<Device>& device,
                                                           void* caller_stream) {
  return state_->get({specialization, compiler, device, make_cache_key(specialization, compiler),
                      device ? device->info().id : "", caller_stream});
}

std::optional<ServiceResult> KernelService::find(const Specialization& specialization, Compiler& compiler,
                                                 const std::shared_ptr<Device>& device, void* caller_stream) {
  return state_->find({specialization, compiler, device, make_cache_key(specialization, compiler),
                       device ? device->info().id : "", caller_stream});
}

std::optional<std::variant<ServiceResult, Diagnostic>> KernelService::get_in_background(
    const Specialization& specialization, Compiler& compiler, const std::shared_ptr<Device>& device,
    const std::stop_token& stop) {
  try {
    return state_->get({specialization, compiler, device, make_cache_key(specialization, compiler),
                        device ? device->info().id : "", nullptr, Urgency::kAhead, stop});
  } catch (const Cancelled&) {
    return std::nullopt;
  }
}

ServiceCounters KernelService::counters() const {
  const std::lock_guard lock(state_->mutex);
  return state_->counters;
}

}  // namespace kiln
