#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/process.h"
#include "base/trace.h"
#include "cache/disk_cache.h"
#include "compile/ahead_compiler.h"
#include "compile/compiler.h"
#include "device/registry.h"
#include "kiln/progress.h"
#include "kiln/settings.h"
#include "service/kernel_service.h"
#include "workload/library.h"

namespace kiln {

/// The parts of Kiln put together for one process, as the settings say; what the command line and the
/// embedding interface both stand on. Each part is made when it is first asked for. Thread-safe.
class Engine {
 public:
  /// `log`, `files` and `clock` outlive the engine.
  Engine(const Settings& settings, FileSystem& files, const Clock& clock, Log& log,
         ProgressFunction progress = {});
  ~Engine();

  [[nodiscard]] const Settings& settings() const;
  [[nodiscard]] const WorkloadLibrary& library();
  [[nodiscard]] DeviceRegistry& devices();
  /// By back end, those that this build knows; isolated as `isolation` says ("auto", "none", "process"), or,
  /// if that is empty, as the settings say.
  [[nodiscard]] std::map<std::string, Compiler*> compilers(const std::string& isolation = "");
  /// The one that programs for this back end are built with ahead of time. It is a process of its own, and
  /// not isolated further.
  [[nodiscard]] AheadCompiler ahead_compiler(const std::string& backend);
  /// On the settings' folder, also where the disk layer is switched off.
  [[nodiscard]] DiskCache& cache();
  [[nodiscard]] KernelService& service();
  /// The trace for the setting `trace` or a profiler; null if neither needs one.
  [[nodiscard]] Trace* trace();
  /// Writes the setting's file, if there is one, with what was traced until now. It is also written when the
  /// engine goes, and, empty, when the service is first asked for. Throws environment_error.
  void write_trace();
  /// For a process that may be killed from now on: writes the entries that are still to be written, and
  /// leaves in the cache folder what the service has counted, as the engine's end does. What is counted later
  /// is lost.
  void finish();
  /// Writes the trace for the last time.
  void finish_trace();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace kiln
