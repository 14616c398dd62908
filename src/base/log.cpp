#include "base/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <array>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "kiln/error.h"

namespace kiln {
namespace {

struct NamedLevel {
  std::string_view name;
  LogLevel level;
};

constexpr std::array<NamedLevel, 5> kLevels = {{{"debug", LogLevel::kDebug},
                                                {"info", LogLevel::kInfo},
                                                {"warn", LogLevel::kWarn},
                                                {"error", LogLevel::kError},
                                                {"off", LogLevel::kOff}}};

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      break;
  }
  return spdlog::level::off;
}

class StderrLog : public Log {
 public:
  explicit StderrLog(LogLevel level) {
    logger_.set_level(to_spdlog(level));
    logger_.set_pattern("kiln: %^%l%$: %v");
    logger_.flush_on(spdlog::level::debug);
  }

  void write(LogLevel level, const std::string& message) override {
    if (level != LogLevel::kOff) logger_.log(to_spdlog(level), printable(message));
  }

 private:
  spdlog::logger logger_{"kiln", std::make_shared<spdlog::sinks::stderr_color_sink_mt>()};
};

class FunctionLog : public Log {
 public:
  FunctionLog(LogLevel level, LogFunction function) : level_(level), function_(std::move(function)) {}

  void write(LogLevel level, const std::string& message) override {
    if (level == LogLevel::kOff || level < level_) return;
    const std::lock_guard lock(mutex_);
    try {
      function_(level, printable(message));
    } catch (...) {  // a message must not make an operation fail
      return;
    }
  }

 private:
  LogLevel level_;
  LogFunction function_;
  std::mutex mutex_;  // of the calls
};

class NullLog : public Log {
 public:
  void write(LogLevel /*level*/, const std::string& /*message*/) override {}
};

}  // namespace

LogLevel parse_log_level(const std::string& name) {
  std::vector<std::string> names;
  for (const NamedLevel& known : kLevels) {
    if (known.name == name) return known.level;
    names.emplace_back(known.name);
  }
  throw bad_input("'" + name + "' is not a log level; expected one of " + join(names, ", "));
}

std::unique_ptr<Log> make_stderr_log(LogLevel level) {
  return std::make_unique<StderrLog>(level);
}

std::unique_ptr<Log> make_function_log(LogLevel level, LogFunction function) {
  return std::make_unique<FunctionLog>(level, std::move(function));
}

std::unique_ptr<Log> make_null_log() {
  return std::make_unique<NullLog>();
}

}  // namespace kiln
