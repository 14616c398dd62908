#include "service/kernel_service.h"

#include <map>
#include <mutex>
#include <set>
#include <stop_token>
#include <utility>
#include <vector>

#include "service/task_threads.h"

namespace kiln {
namespace {

using GetResult = std::variant<ServiceResult, Diagnostic>;

}  // namespace

/// Brings code onto devices, each piece once.
struct KernelService::State {
  State(DiskCache* disk, const Clock& clock_to_use, int jobs_at_once, Trace* trace_to_use)
      : clock(clock_to_use),
        jobs(jobs_at_once),
        trace(trace_to_use),
        source(disk, clock, jobs, trace, memory, tally) {}

  GetResult get(const CodeRequest& request) {
    TraceSpan span(trace, TraceKind::kGet, request.specialization.source_name);
    request.describe(span);
    GetResult result = get_somehow(request);
    const auto* found = std::get_if<ServiceResult>(&result);
    span.add("origin", found != nullptr ? to_string(found->origin) : "failed");
    return result;
  }

  GetResult get_somehow(const CodeRequest& request) {
    if (auto hit = find_loaded(request)) return *std::move(hit);
    auto outcome = source.join(loads, request.key.digest + "@" + request.device_id, request,
                               [&] { return load(request); });
    auto* result = std::get_if<ServiceResult>(&outcome.value);
    if (outcome.waited && result != nullptr) {
      result->origin = Origin::kWaited;
      result->compile_seconds = result->load_seconds = 0;
    }
    return std::move(outcome.value);
  }

  std::optional<ServiceResult> find(const CodeRequest& request) {
    if (auto hit = find_loaded(request)) return hit;
    const auto found = source.find(request);
    if (!found) return std::nullopt;
    return put_on_device(*found, request);
  }

  /// Looks in memory again: whoever led before may have landed since the caller looked.
  GetResult load(const CodeRequest& request) {
    if (auto hit = find_loaded(request)) return *std::move(hit);
    auto outcome = source.obtain(request);
    if (auto* diagnostic = std::get_if<Diagnostic>(&outcome.value)) return std::move(*diagnostic);
    ObtainedCode& obtained = std::get<ObtainedCode>(outcome.value);
    if (outcome.waited) obtained = ObtainedCode{obtained.code, Origin::kWaited, 0, 0};
    return put_on_device(obtained, request);
  }

  ServiceResult put_on_device(const ObtainedCode& obtained, const CodeRequest& request) {
    request.require_no_capture();
    const std::int64_t begin = clock.steady_ns();
    auto loaded = load_on_device(*obtained.code, request.device);
    const double seconds = seconds_between(begin, clock.steady_ns());
    memory.add_loaded(request.key.digest, request.device_id, loaded);
    tally.update([&](ServiceCounters& counters) { counters.load_seconds += seconds; });
    return ServiceResult{std::move(loaded), obtained.origin, request.key, obtained.compile_seconds,
                         obtained.load_seconds + seconds};
  }

  std::shared_ptr<LoadedCode> load_on_device(const CodeObject& code, const std::shared_ptr<Device>& device) {
    try {
      return std::make_shared<LoadedCode>(code, device);
    } catch (...) {
      tally.count(&ServiceCounters::failed);
      throw;
    }
  }

  std::optional<ServiceResult> find_loaded(const CodeRequest& request) {
    auto loaded = memory.loaded(request.key.digest, request.device_id);
    if (!loaded) return std::nullopt;
    tally.count(&ServiceCounters::memory_hits);
    return ServiceResult{std::move(loaded), Origin::kMemory, request.key, 0, 0};
  }

  const Clock& clock;
  int jobs;
  Trace* trace;  // null: none
  CodeMemory memory;
  ServiceTally tally;
  CodeSource source;
  SingleFlight<GetResult> loads;  // by digest and device
};

class KernelService::Ahead final : public CompileAhead {
 public:
  Ahead(State& state, std::vector<WantedCode> wanted)
      : unclaimed_(new Unclaimed{state, {}, {}}),
        wanted_(std::move(wanted)),
        expected_(expect_all(wanted_)),
        threads_(2 * static_cast<std::size_t>(state.jobs), wanted_.size(),  // one compiles, one writes
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
      for (const std::string& digest : unclaimed->digests) unclaimed->state.source.forget_ahead(digest);
      delete unclaimed;
    }
  };

  /// Some may be found in the cache: who compiles must not count on them.
  static std::vector<ExpectedCompiles> expect_all(const std::vector<WantedCode>& wanted) {
    std::map<Compiler*, int> counts;
    for (const WantedCode& one : wanted) ++counts[one.compiler];
    std::vector<ExpectedCompiles> expected;
    for (const auto& [compiler, count] : counts) expected.push_back(expect_compiles(*compiler, count));
    return expected;
  }

  /// What goes wrong here is met again, and told, by the one who asks.
  void make(const WantedCode& wanted, const std::stop_token& stop) noexcept {
    try {
      if (Trace* trace = unclaimed_->state.trace; trace != nullptr) trace->name_thread("makes code ahead");
      const CacheKey key = make_cache_key(wanted.specialization, *wanted.compiler);
      {
        const std::lock_guard lock(unclaimed_->mutex);
        if (!unclaimed_->digests.insert(key.digest).second) return;
      }
      unclaimed_->state.source.make_ahead(
          {wanted.specialization, *wanted.compiler, nullptr, key, "", nullptr, Urgency::kAhead, stop});
    } catch (...) {
      return;
    }
  }

  std::unique_ptr<Unclaimed, Forget> unclaimed_;
  std::vector<WantedCode> wanted_;
  std::vector<ExpectedCompiles> expected_;
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

void KernelService::count_memory_hit() {
  state_->tally.count_memory_hit();
}

void KernelService::finish_writing() {
  state_->source.finish_writing();
}

ServiceCounters KernelService::counters() const {
  state_->source.finish_writing();
  return state_->tally.counters();
}

}  // namespace kiln
