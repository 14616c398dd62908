#include "embed/engine.h"

#include <filesystem>
#include <mutex>
#include <optional>

#include "base/scratch_folder.h"
#include "base/unique_handle.h"
#include "compile/option_check.h"
#include "embed/backends.h"
#include "embed/trace_file.h"
#include "isolate/isolated_compiler.h"
#include "service/statistics_file.h"

namespace kiln {
namespace {

/// A lease outlasts any compile.
DiskCacheOptions cache_options(const Settings& settings, FileSystem& files, Log& log) {
  constexpr double kUnlimitedCompile = 3600;
  constexpr double kMargin = 60;
  const double longest = settings.compile_time_limit > 0 ? settings.compile_time_limit : kUnlimitedCompile;
  return {settings.cache_dir,      settings.cache_locks,
          longest + kMargin,       {settings.cache_read_only.begin(), settings.cache_read_only.end()},
          settings.cache_max_size, settings.cache ? make_remote_layer(settings, files, log) : nullptr};
}

}  // namespace

/// Made on first use; what comes later uses what comes earlier, and goes before it.
struct Engine::Parts {
  /// Leaves what the service has counted in the cache folder.
  struct KeepStatistics {
    using Handle = Parts*;
    static Handle null() { return nullptr; }
    static void close(Handle parts) noexcept { parts->keep_statistics(); }
  };

  Settings settings;
  FileSystem& files;
  const Clock& clock;
  Log& log;
  ProgressFunction progress;
  TraceFile trace;
  std::recursive_mutex mutex;  ///< the service asks for the cache while it is made
  std::unique_ptr<ProcessRunner> processes;
  std::optional<WorkloadLibrary> library;
  std::optional<Backends> backends;
  std::map<std::pair<Isolation, std::string>, std::unique_ptr<Compiler>>
      compilers;  ///< around the back ends'
  std::optional<DeviceRegistry> devices;
  std::optional<DiskCache> cache;
  std::optional<KernelService> service;
  UniqueHandle<KeepStatistics> statistics;

  Parts(const Settings& wanted, FileSystem& disk, const Clock& time, Log& messages, ProgressFunction told)
      : settings(wanted),
        files(disk),
        clock(time),
        log(messages),
        progress(std::move(told)),
        trace(settings.trace, disk, time, messages) {}

  void make_backends_once() {
    if (backends) return;
    processes = make_process_runner();
    backends = make_backends(settings, *processes, files, log);
    devices.emplace(std::move(backends->devices), trace.get());
  }

  void refuse_options_of(const Workload& workload) {
    const std::lock_guard lock(mutex);
    make_backends_once();
    for (const auto& [backend, compiler] : backends->compilers) refuse_options(workload, backend, *compiler);
  }

  /// So that a trace holds all that was done for those who asked until now.
  void finish_writing() {
    const std::lock_guard lock(mutex);
    if (service) service->finish_writing();
  }

  void keep_statistics() noexcept {
    try {
      if (cache && cache->disabled_reason().empty())
        StatisticsFile(files, clock, cache->root()).add(service->counters());
    } catch (const std::exception& error) {
      log.debug(std::string("what was counted is not kept: ") + error.what());
    }
  }

  Compiler* isolated(const std::string& backend, Compiler& inner, Isolation isolation) {
    std::unique_ptr<Compiler>& compiler = compilers[{isolation, backend}];
    if (compiler) return compiler.get();
    const std::filesystem::path scratch = temporary_folder();
    const std::filesystem::path failures =
        settings.cache ? std::filesystem::path(settings.cache_dir) / "failures"
                       : scratch / ("kiln-failures-" + std::to_string(current_user_id()));
    compiler = make_isolated_compiler(inner, {isolation, settings, scratch, failures}, *processes, files,
                                      clock, log, trace.get());
    return compiler.get();
  }
};

Engine::Engine(const Settings& settings, FileSystem& files, const Clock& clock, Log& log,
               ProgressFunction progress)
    : parts_(std::make_unique<Parts>(settings, files, clock, log, std::move(progress))) {}

Engine::~Engine() = default;

const Settings& Engine::settings() const {
  return parts_->settings;
}

const WorkloadLibrary& Engine::library() {
  const std::lock_guard lock(parts_->mutex);
  if (!parts_->library) {
    const auto& path = parts_->settings.workload_path;
    parts_->library.emplace(
        parts_->files, std::vector<std::filesystem::path>(path.begin(), path.end()),
        [parts = parts_.get()](const Workload& workload) { parts->refuse_options_of(workload); });
  }
  return *parts_->library;
}

DeviceRegistry& Engine::devices() {
  const std::lock_guard lock(parts_->mutex);
  parts_->make_backends_once();
  return *parts_->devices;
}

std::map<std::string, Compiler*> Engine::compilers(const std::string& isolation) {
  const std::lock_guard lock(parts_->mutex);
  parts_->make_backends_once();
  const Isolation wanted = parse_isolation(isolation.empty() ? parts_->settings.isolation : isolation);
  std::map<std::string, Compiler*> compilers;
  for (const auto& [backend, compiler] : parts_->backends->compilers)
    compilers[backend] = parts_->isolated(backend, *compiler, wanted);
  return compilers;
}

AheadCompiler Engine::ahead_compiler(const std::string& backend) {
  const std::lock_guard lock(parts_->mutex);
  parts_->make_backends_once();
  const auto found = parts_->backends->ahead.find(backend);
  if (found == parts_->backends->ahead.end()) return {"", nullptr, "no such compiler is known"};
  const auto& [name, compiler] = found->second;
  try {
    static_cast<void>(compiler->identity());
    return {name, compiler.get(), ""};
  } catch (const Error& error) {
    return {name, nullptr, error.message()};
  }
}

DiskCache& Engine::cache() {
  const std::lock_guard lock(parts_->mutex);
  if (!parts_->cache)
    parts_->cache.emplace(parts_->files, parts_->clock, parts_->log,
                          cache_options(parts_->settings, parts_->files, parts_->log));
  return *parts_->cache;
}

KernelService& Engine::service() {
  const std::lock_guard lock(parts_->mutex);
  if (!parts_->service) {
    parts_->trace.begin();
    parts_->service.emplace(parts_->settings.cache ? &cache() : nullptr, parts_->clock,
                            parts_->settings.compile_jobs, parts_->trace.get(),
                            ServiceRules{parts_->settings.compile, parts_->progress});
    if (parts_->settings.cache) parts_->statistics.reset(parts_.get());
  }
  return *parts_->service;
}

Trace* Engine::trace() {
  return parts_->trace.get();
}

void Engine::write_trace() {
  parts_->finish_writing();
  parts_->trace.write();
}

void Engine::finish() {
  parts_->finish_writing();
  const std::lock_guard lock(parts_->mutex);
  parts_->statistics.reset();
}

void Engine::finish_trace() {
  parts_->finish_writing();
  parts_->trace.finish();
}

}  // namespace kiln
