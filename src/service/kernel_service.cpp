#include "service/kernel_service.h"

#include <map>
#include <mutex>
#include <set>
#include <stop_token>
#include <utility>
#include <vector>

#include "cache/shipped_code.h"
#include "compile/written_words.h"
#include "kiln/error.h"
#include "service/task_threads.h"

namespace kiln {
namespace {

using GetResult = std::variant<ServiceResult, Diagnostic>;

GetResult with_places(GetResult result, const Specialization& specialization) {
  if (auto* diagnostic = std::get_if<Diagnostic>(&result)) name_written_place(*diagnostic, specialization);
  return result;
}

}  // namespace

/// Brings code onto devices, each piece once.
struct KernelService::State {
  State(DiskCache* disk_to_use, const Clock& clock_to_use, int jobs_at_once, Trace* trace_to_use,
        ServiceRules rules)
      : may_compile(rules.compile),
        disk(disk_to_use),
        clock(clock_to_use),
        jobs(jobs_at_once),
        trace(trace_to_use),
        source(disk, clock, jobs, trace, memory, tally) {
    if (rules.progress) listener.emplace(std::move(rules.progress));
  }

  CodeRequest request_for(const Specialization& specialization, Compiler& compiler,
                          const std::shared_ptr<Device>& device, void* caller_stream,
                          Urgency urgency = Urgency::kWanted, std::stop_token stop = {}) {
    CodeRequest request{specialization, compiler, device,         {}, device ? device->info().id : "",
                        caller_stream,  urgency,  std::move(stop)};
    const Target& target = specialization.target;
    std::string portable;
    if (!bundles.empty()) {
      portable = make_portable_digest(specialization);
      const auto entries = bundles.find(portable);
      if (const CacheEntryInfo* entry = best_entry(entries, target)) {
        request.key = {entry->digest, ""};
        request.shipped = [this, digest = entry->digest] { return read_bundled(digest); };
        return request;
      }
    }
    try {
      if (!may_compile) throw environment_error("compiling is switched off (setting 'compile')");
      request.key = make_cache_key(specialization, compiler);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kEnvironment || (may_compile && disk == nullptr && bundles.empty()))
        throw;
      if (portable.empty()) portable = make_portable_digest(specialization);
      const auto entries = disk == nullptr ? std::vector<CacheEntryInfo>() : disk->find_portable(portable);
      const CacheEntryInfo* entry = best_entry(entries, target);
      if (entry == nullptr) throw without_compiler(specialization, error);
      request.key = {entry->digest, ""};
      request.shipped = [this, digest = entry->digest] { return read_portable(digest); };
    }
    return request;
  }

  std::optional<ObtainedCode> read_bundled(const std::string& digest) {
    const std::int64_t begin = clock.steady_ns();
    auto code = bundles.read(digest);
    if (!code) return std::nullopt;
    return ObtainedCode{memory.add(digest, *std::move(code)), Origin::kBundle, 0,
                        seconds_between(begin, clock.steady_ns())};
  }

  std::optional<ObtainedCode> read_portable(const std::string& digest) {
    const std::int64_t begin = clock.steady_ns();
    auto code = disk->load_portable(digest);
    if (!code) return std::nullopt;
    const double seconds = seconds_between(begin, clock.steady_ns());
    tally.update([&](ServiceCounters& counters) {
      ++counters.disk_hits;
      counters.bytes_read += code->binary.size();
      counters.read_seconds += seconds;
    });
    return ObtainedCode{memory.add(digest, *std::move(code)), Origin::kDisk, 0, seconds};
  }

  /// The error for a missing compiler, with the code that is available instead.
  [[nodiscard]] Error without_compiler(const Specialization& specialization, const Error& error) {
    std::vector<CacheEntryInfo> all = bundles.list();
    if (disk != nullptr) {
      const auto kept = disk->find_portable("");
      all.insert(all.end(), kept.begin(), kept.end());
    }
    std::vector<CacheEntryInfo> own;
    for (const CacheEntryInfo& entry : all) {
      if (entry.label.starts_with(specialization.source_name + " ")) own.push_back(entry);
    }
    const std::string wanted =
        "'" + specialization.source_name + "' for " + specialization.target.to_string();
    std::string there;
    if (!own.empty())
      there = "of " + wanted + " with these values; there is" + list_of_entries(own);
    else if (!all.empty())
      there = "of " + wanted + "; there is" + list_of_entries(all);
    else
      there = "at all";
    return environment_error(std::string(error.what()) +
                             "\nWithout a compiler, the cache and the bundles have no code " + there);
  }

  /// `request` as the program asked for it.
  GetResult get_with_progress(CodeRequest request) {
    if (!listener) return get(request);
    request.progress = std::make_shared<ProgressReport>(*listener, clock, name_of(request.specialization));
    try {
      GetResult result = get(request);
      request.progress->end(std::holds_alternative<ServiceResult>(result));
      return result;
    } catch (const Cancelled&) {
      request.progress->end(false);
      if (!request.progress->cancelled()) throw;
      throw Error(ErrorKind::kCancelled,
                  "'" + request.progress->kernel() + "': the program ended the request");
    } catch (...) {
      request.progress->end(false);
      throw;
    }
  }

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
    request.begin(GetProgress::Stage::kLooking);
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
    const auto found = request.shipped ? request.shipped() : source.find(request);
    if (!found) return std::nullopt;
    return put_on_device(*found, request);
  }

  /// Looks in memory again: the former leader may have finished since the caller looked.
  GetResult load(const CodeRequest& request) {
    if (auto hit = find_loaded(request)) return *std::move(hit);
    if (request.shipped) {
      if (const auto found = request.shipped()) return put_on_device(*found, request);
      throw environment_error("code of '" + request.specialization.source_name + "', entry " +
                              request.key.digest + ", is damaged in its bundle or cache");
    }
    auto outcome = source.obtain(request);
    if (auto* diagnostic = std::get_if<Diagnostic>(&outcome.value)) return std::move(*diagnostic);
    ObtainedCode& obtained = std::get<ObtainedCode>(outcome.value);
    if (outcome.waited) obtained = ObtainedCode{obtained.code, Origin::kWaited, 0, 0};
    return put_on_device(obtained, request);
  }

  ServiceResult put_on_device(const ObtainedCode& obtained, const CodeRequest& request) {
    request.require_no_capture();
    if (request.device) request.begin(GetProgress::Stage::kLoading);
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

  bool may_compile;
  DiskCache* disk;  // null: none
  const Clock& clock;
  int jobs;
  Trace* trace;                              // null: none
  std::optional<ProgressListener> listener;  // absent: progress is not reported
  ShippedCode bundles;
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
  void stop() override { threads_.stop(); }

 private:
  /// Digests of compiles that have begun; forgets those without a request.
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

  /// Some may be found in the cache: the compiler must not rely on these numbers.
  static std::vector<ExpectedCompiles> expect_all(const std::vector<WantedCode>& wanted) {
    std::map<Compiler*, int> counts;
    for (const WantedCode& one : wanted) ++counts[one.compiler];
    std::vector<ExpectedCompiles> expected;
    expected.reserve(counts.size());
    for (const auto& [compiler, count] : counts) expected.push_back(expect_compiles(*compiler, count));
    return expected;
  }

  /// A failure here occurs again, and is reported, at the request.
  void make(const WantedCode& wanted, const std::stop_token& stop) noexcept {
    try {
      if (Trace* trace = unclaimed_->state.trace; trace != nullptr) trace->name_thread("makes code ahead");
      const std::shared_ptr<Device> none;
      const CodeRequest request = unclaimed_->state.request_for(wanted.specialization, *wanted.compiler, none,
                                                                nullptr, Urgency::kAhead, stop);
      if (request.shipped) return;
      {
        const std::lock_guard lock(unclaimed_->mutex);
        if (!unclaimed_->digests.insert(request.key.digest).second) return;
      }
      unclaimed_->state.source.make_ahead(request);
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

KernelService::KernelService(DiskCache* disk, const Clock& clock, int jobs, Trace* trace, ServiceRules rules)
    : state_(
          std::make_unique<State>(disk, clock, jobs > 0 ? jobs : usable_cores(), trace, std::move(rules))) {}

KernelService::~KernelService() = default;

std::variant<ServiceResult, Diagnostic> KernelService::get(const Specialization& specialization,
                                                           Compiler& compiler,
                                                           const std::shared_ptr<Device>& device,
                                                           void* caller_stream) {
  return with_places(
      state_->get_with_progress(state_->request_for(specialization, compiler, device, caller_stream)),
      specialization);
}

std::optional<ServiceResult> KernelService::find(const Specialization& specialization, Compiler& compiler,
                                                 const std::shared_ptr<Device>& device, void* caller_stream) {
  return state_->find(state_->request_for(specialization, compiler, device, caller_stream));
}

std::optional<std::variant<ServiceResult, Diagnostic>> KernelService::get_in_background(
    const Specialization& specialization, Compiler& compiler, const std::shared_ptr<Device>& device,
    const std::stop_token& stop) {
  try {
    return with_places(state_->get_with_progress(state_->request_for(specialization, compiler, device,
                                                                     nullptr, Urgency::kAhead, stop)),
                       specialization);
  } catch (const Cancelled&) {
    return std::nullopt;
  }
}

void KernelService::add_bundle(std::string_view bundle) {
  state_->bundles.add(bundle);
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
