#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "cache/disk_cache.h"
#include "cli/console.h"
#include "cli/status_line.h"
#include "compile/compiler.h"
#include "config/settings.h"
#include "device/registry.h"
#include "job/job_runner.h"
#include "report/text_table.h"
#include "service/kernel_service.h"
#include "workload/library.h"

namespace kiln {

/// Where the parts of Kiln are put together for a command. Each part is made when it is first asked for: a
/// command starts nothing that it does not use.
class World {
 public:
  World(const Console& console, ResolvedSettings settings, bool quiet);
  ~World();

  [[nodiscard]] std::ostream& out() const { return console_.out; }
  [[nodiscard]] const ResolvedSettings& settings() const { return settings_; }
  [[nodiscard]] bool quiet() const { return quiet_; }
  /// Of standard output.
  [[nodiscard]] TextStyle style() const;
  [[nodiscard]] StatusLine& status_line() { return status_line_; }

  [[nodiscard]] FileSystem& files() { return *files_; }
  [[nodiscard]] const Clock& clock() const { return *clock_; }
  [[nodiscard]] Log& log() { return log_; }
  [[nodiscard]] const WorkloadLibrary& library();
  [[nodiscard]] DeviceRegistry& devices();
  /// By back end; those that this build knows.
  [[nodiscard]] std::map<std::string, Compiler*> compilers();
  /// On the folder of the settings, also where the disk layer is switched off.
  [[nodiscard]] DiskCache& cache();
  [[nodiscard]] KernelService& service();
  /// A new run.
  [[nodiscard]] JobContext job_context();

 private:
  struct Parts;
  void make_backends_once();

  Console console_;
  ResolvedSettings settings_;
  bool quiet_;
  StatusLine status_line_;
  ConsoleLog log_;
  std::unique_ptr<FileSystem> files_;
  std::unique_ptr<Clock> clock_;
  std::int64_t start_ns_;  ///< when the command began
  std::unique_ptr<Parts> parts_;
};

/// The style of text on one of the console's streams.
[[nodiscard]] TextStyle make_style(const Console& console, bool is_terminal, const std::string& color);

}  // namespace kiln
