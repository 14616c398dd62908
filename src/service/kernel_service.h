#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/trace.h"
#include "cache/disk_cache.h"
#include "cache/make_cache_key.h"
#include "compile/compiler.h"
#include "device/device.h"
#include "load/loaded_kernel.h"
#include "service/code_source.h"
#include "service/service_tally.h"
#include "specialize/specialization.h"

namespace kiln {

/// A kernel that can be launched, and what getting it cost.
struct ServiceResult {
  std::shared_ptr<LoadedCode> code;
  Origin origin = Origin::kMemory;
  CacheKey key;
  double compile_seconds = 0;  ///< spent now; 0 for a hit
  double load_seconds = 0;     ///< disk read + driver load, spent now
};

/// A program's rules for its service.
struct ServiceRules {
  bool compile = true;             ///< false: code comes from the cache and from bundles alone
  ProgressFunction progress = {};  ///< empty: progress is not reported
};

/// Code that will be requested.
struct WantedCode {
  Specialization specialization;
  Compiler* compiler = nullptr;
};

/// Compiles in threads of its own. The destructor drops compiles that have not begun, ends others if their
/// compiler can be ended (Compiler::compile), waits for the rest, and drops code without a request by then. A
/// request that waits for a compile that is ended here compiles anew.
class CompileAhead {
 public:
  virtual ~CompileAhead() = default;
  /// Until all are done.
  virtual void wait() = 0;
  /// wait() for at most `limit`: true if all are done.
  [[nodiscard]] virtual bool wait_for(std::chrono::milliseconds limit) = 0;
  /// Drops and ends compiles without waiting for their end: for several, before the first is destroyed.
  virtual void stop() = 0;
};

/// Joins the layers: memory, bundles, in flight, disk, compile. Where there is no compiler, code of any
/// compiler is taken that the disk has, and where it has none, Error (environment) lists what there is.
/// Thread-safe; no lock is held while compiling or
/// loading, and a key is compiled once however many threads ask. `disk` may be null (no disk layer); it is
/// not asked for specializations with unknown input. At most
/// `jobs` compiles run at once (0: one for each core that this process may use), those that a caller of `get`
/// waits for before those that are made ahead. What a caller of `get` had compiled is written to the disk
/// beside it, after it was handed out. `trace` (null: none) sees where code comes from and how long
/// that takes.
class KernelService {
 public:
  KernelService(DiskCache* disk, const Clock& clock, int jobs = 0, Trace* trace = nullptr,
                ServiceRules rules = {});
  ~KernelService();

  /// `device` null: compile only (the AOT path); then `code` holds no module. While a stream of the device is
  /// captured into a graph (`caller_stream`, or a stream whose capture the device reports), throws bad_input
  /// instead of compiling or loading; code in memory is still found.
  [[nodiscard]] std::variant<ServiceResult, Diagnostic> get(const Specialization& specialization,
                                                            Compiler& compiler,
                                                            const std::shared_ptr<Device>& device,
                                                            void* caller_stream = nullptr);
  /// Code in memory or on disk; compiles nothing. Captures have the same effect as in get().
  [[nodiscard]] std::optional<ServiceResult> find(const Specialization& specialization, Compiler& compiler,
                                                  const std::shared_ptr<Device>& device,
                                                  void* caller_stream = nullptr);
  /// `get` for one who does not wait: others compile first. `nullopt` if `stop` was requested before the
  /// compile began, or ended it.
  [[nodiscard]] std::optional<std::variant<ServiceResult, Diagnostic>> get_in_background(
      const Specialization& specialization, Compiler& compiler, const std::shared_ptr<Device>& device,
      const std::stop_token& stop);
  /// Starts to compile what `get` will be asked for; the first `get` of each reports what it cost. The
  /// service and the compilers outlive the result.
  [[nodiscard]] std::unique_ptr<CompileAhead> compile_ahead(std::vector<WantedCode> wanted);
  /// Entries of a cache as `kiln cache pack` writes them, in memory that outlives the service. What a bundle
  /// has for a specialization and a device is taken from there, whichever compiler there is or is not. Throws
  /// bad_input for what is not a whole bundle.
  void add_bundle(std::string_view bundle);
  /// One who asked was answered with a kernel that the caller has kept.
  void count_memory_hit();
  /// Waits for what is being written, and counts it.
  [[nodiscard]] ServiceCounters counters() const;
  /// Until all code that `get` has handed out is on the disk, or could not be written; so does the end of the
  /// service.
  void finish_writing();

 private:
  struct State;
  class Ahead;
  std::unique_ptr<State> state_;
};

}  // namespace kiln
