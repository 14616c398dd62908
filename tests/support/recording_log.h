#pragma once

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"

namespace kiln::test {

/// Keeps every message for a test to look at. Thread-safe.
class RecordingLog : public Log {
 public:
  void write(LogLevel level, const std::string& message) override {
    const std::lock_guard lock(mutex_);
    messages_.emplace_back(level, message);
  }

  [[nodiscard]] std::vector<std::string> messages(LogLevel level) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> found;
    for (const auto& [at, message] : messages_) {
      if (at == level) found.push_back(message);
    }
    return found;
  }
  [[nodiscard]] std::vector<std::string> warnings() const { return messages(LogLevel::kWarn); }
  /// Whether some message of any level contains `text`.
  [[nodiscard]] bool contains(const std::string& text) const {
    const std::lock_guard lock(mutex_);
    return std::any_of(messages_.begin(), messages_.end(),
                       [&](const auto& message) { return message.second.find(text) != std::string::npos; });
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    messages_.clear();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<LogLevel, std::string>> messages_;
};

}  // namespace kiln::test
