#pragma once

#include <memory>
#include <string>

#include "kiln/log.h"

namespace kiln {

/// Parses "debug", "info", "warn", "error" or "off"; throws bad_input with the list of names otherwise.
LogLevel parse_log_level(const std::string& name);

/// Receives messages for a person. Passed by reference to code that reports; never a global. Thread-safe.
/// Results never go through it: they belong to standard output.
class Log {
 public:
  virtual ~Log() = default;
  virtual void write(LogLevel level, const std::string& message) = 0;

  void debug(const std::string& message) { write(LogLevel::kDebug, message); }
  void info(const std::string& message) { write(LogLevel::kInfo, message); }
  void warn(const std::string& message) { write(LogLevel::kWarn, message); }
  void error(const std::string& message) { write(LogLevel::kError, message); }
};

/// Writes to standard error through spdlog, coloured on a terminal only.
std::unique_ptr<Log> make_stderr_log(LogLevel level);
/// Calls `function` with the messages of at least this level, one at a time.
std::unique_ptr<Log> make_function_log(LogLevel level, LogFunction function);
/// Discards everything.
std::unique_ptr<Log> make_null_log();

}  // namespace kiln
