#include "service/kernel_service.h"

#include <mutex>
#include <utility>
#include <vector>

#include "base/text.h"
#include "kiln/error.h"
#include "service/single_flight.h"

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

CacheEntryLabel label_of(const Specialization& specialization, const CompilerIdentity& compiler) {
  std::vector<std::string> words = {specialization.source_name};
  for (const EntryPoint& entry : specialization.entries) words.push_back(entry.name_expression);
  return CacheEntryLabel{join(words, " "), specialization.target.to_string(),
                         compiler.name + " " + compiler.version, specialization.source_text};
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
  State(DiskCache* disk_cache, const Clock& clock_to_use) : disk(disk_cache), clock(clock_to_use) {}

  /// What one call asks for.
  struct Request {
    const Specialization& specialization;
    Compiler& compiler;
    const std::shared_ptr<Device>& device;
    CacheKey key;
    std::string device_id;
    void* caller_stream;
  };

  GetResult get(const Request& request) {
    if (auto hit = find_loaded(request)) return *std::move(hit);
    auto outcome = loads.run(
        request.key.digest + "@" + request.device_id, [&] { return load(request); },
        [&] { count(&ServiceCounters::waited); });
    auto* result = std::get_if<ServiceResult>(&outcome.value);
    if (outcome.waited && result != nullptr) {
      result->origin = Origin::kWaited;
      result->compile_seconds = result->load_seconds = 0;
    }
    return std::move(outcome.value);
  }

  /// Looks in memory again: whoever led before may have landed since the caller looked.
  GetResult load(const Request& request) {
    if (auto hit = find_loaded(request)) return *std::move(hit);
    require_no_capture(request);
    auto outcome = codes.run(
        request.key.digest, [&] { return obtain(request); }, [&] { count(&ServiceCounters::waited); });
    if (auto* diagnostic = std::get_if<Diagnostic>(&outcome.value)) return std::move(*diagnostic);
    ObtainedCode& obtained = std::get<ObtainedCode>(outcome.value);
    if (outcome.waited) obtained = ObtainedCode{obtained.code, Origin::kWaited, 0, 0};

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

  ObtainResult obtain(const Request& request) {
    if (auto code = find_code(request.key.digest)) {
      count(&ServiceCounters::memory_hits);
      return ObtainedCode{std::move(code), Origin::kMemory, 0, 0};
    }
    if (disk == nullptr) return compile(request);
    const std::int64_t begin = clock.steady_ns();
    CacheTurn turn = disk->load_or_lock(request.key);
    const double seconds = seconds_since(begin);
    count_turn(turn, seconds);
    if (turn.code) {
      auto code = remember(request.key.digest, *std::move(turn.code));
      return ObtainedCode{std::move(code), turn.waited ? Origin::kWaited : Origin::kDisk, 0,
                          turn.waited ? 0 : seconds};
    }
    ObtainResult result = compile(request);
    if (std::holds_alternative<Diagnostic>(result)) disk->give_up(std::move(turn.lock));
    return result;
  }

  void count_turn(const CacheTurn& turn, double seconds) {
    const std::lock_guard lock(mutex);
    if (turn.waited) {
      ++counters.waited;
      counters.wait_seconds += seconds;
    } else if (turn.code) {
      ++counters.disk_hits;
      counters.load_seconds += seconds;
    }
  }

  ObtainResult compile(const Request& request) {
    const std::int64_t begin = clock.steady_ns();
    CompileResult result = run_compiler(request);
    const double seconds = seconds_since(begin);
    const bool compiled = std::holds_alternative<CodeObject>(result);
    {
      const std::lock_guard lock(mutex);
      ++(compiled ? counters.compiled : counters.failed);
      counters.compile_seconds += seconds;
    }
    if (!compiled) return std::get<Diagnostic>(std::move(result));
    auto code = remember(request.key.digest, std::get<CodeObject>(std::move(result)));
    if (disk != nullptr) {
      disk->publish(request.key, *code, label_of(request.specialization, request.compiler.identity()));
    }
    return ObtainedCode{std::move(code), Origin::kCompiled, seconds, 0};
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

  DiskCache* disk;
  const Clock& clock;
  SingleFlight<GetResult> loads;     // by digest and device
  SingleFlight<ObtainResult> codes;  // by digest: two devices share a compile
  std::mutex mutex;                  // of what follows; never held during input, output, compiling or loading
  std::map<std::string, Remembered> memory;  // by digest
  ServiceCounters counters;
};

KernelService::KernelService(DiskCache* disk, const Clock& clock)
    : state_(std::make_unique<State>(disk, clock)) {}

KernelService::~KernelService() = default;

std::variant<ServiceResult, Diagnostic> KernelService::get(const Specialization& specialization,
                                                           Compiler& compiler,
                                                           const std::shared_ptr<Device>& device,
                                                           void* caller_stream) {
  return state_->get({specialization, compiler, device, make_cache_key(specialization, compiler),
                      device ? device->info().id : "", caller_stream});
}

ServiceCounters KernelService::counters() const {
  const std::lock_guard lock(state_->mutex);
  return state_->counters;
}

}  // namespace kiln
