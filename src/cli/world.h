#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "cli/console.h"
#include "cli/printable_stream.h"
#include "cli/status_line.h"
#include "config/settings.h"
#include "embed/engine.h"
#include "job/job_runner.h"
#include "report/text_table.h"

namespace kiln {

/// The environment of a command: the console, the settings and the parts of Kiln, each made at its first use:
/// a command starts nothing that it does not use.
class World {
 public:
  /// `arguments`: the words behind the program's name. `start_ns`: the steady time when the command began.
  World(const Console& console, ResolvedSettings settings, bool quiet, std::vector<std::string> arguments,
        std::int64_t start_ns);

  /// Standard output; control characters are shown in place of sent.
  [[nodiscard]] std::ostream& out() { return out_; }
  [[nodiscard]] const ResolvedSettings& settings() const { return settings_; }
  [[nodiscard]] bool quiet() const { return quiet_; }
  [[nodiscard]] const std::vector<std::string>& arguments() const { return arguments_; }
  /// Of standard output.
  [[nodiscard]] TextStyle style() const;
  [[nodiscard]] StatusLine& status_line() { return status_line_; }

  [[nodiscard]] FileSystem& files() { return *files_; }
  [[nodiscard]] const Clock& clock() const { return *clock_; }
  [[nodiscard]] Log& log() { return log_; }
  [[nodiscard]] Engine& engine() { return *engine_; }
  /// For one of several processes that share the node: `threads` for kernels and compiles, unless they are
  /// set, and a trace only if it `traces`. Must be called before the engine is used.
  void take_share(int threads, bool traces);
  /// A new run of a job with this `isolation`; empty: as the settings say.
  [[nodiscard]] JobContext job_context(const std::string& isolation);

 private:
  Console console_;
  ResolvedSettings settings_;
  PrintableStream out_;
  bool quiet_;
  std::vector<std::string> arguments_;
  StatusLine status_line_;
  ConsoleLog log_;
  std::unique_ptr<FileSystem> files_;
  std::unique_ptr<Clock> clock_;
  std::int64_t start_ns_;
  std::optional<Engine> engine_;
};

/// The style of text on one of the console's streams.
[[nodiscard]] TextStyle make_style(const Console& console, bool is_terminal, const std::string& color);

}  // namespace kiln
