#pragma once

#include <atomic>
#include <mutex>
#include <string>

namespace kiln {

/// Collects the faults of the threads of one launch. It keeps the first one, and the other threads then stop.
class FaultSink {
 public:
  void raise(std::string message) {
    const std::lock_guard lock(mutex_);
    if (message_.empty()) message_ = std::move(message);
    raised_.store(true, std::memory_order_release);
  }
  [[nodiscard]] bool raised() const { return raised_.load(std::memory_order_acquire); }
  /// Empty if no fault occurred. Call it when no thread can raise a fault any more.
  [[nodiscard]] const std::string& message() const { return message_; }

 private:
  std::mutex mutex_;
  std::string message_;
  std::atomic<bool> raised_{false};
};

/// The message of a kernel's failed assertion; without a file, `condition` is the kernel's action.
[[nodiscard]] inline std::string assertion_text(const char* condition, const char* file, unsigned line) {
  if (file == nullptr) return condition;
  return std::string("assertion '") + condition + "' failed at " + file + ":" + std::to_string(line);
}

}  // namespace kiln
