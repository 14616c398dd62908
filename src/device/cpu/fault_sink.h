#pragma once

#include <atomic>
#include <mutex>
#include <string>

namespace kiln {

/// Where the threads of one launch put what went wrong; the first one is kept, and tells the others to stop.
class FaultSink {
 public:
  void raise(std::string message) {
    const std::lock_guard lock(mutex_);
    if (message_.empty()) message_ = std::move(message);
    raised_.store(true, std::memory_order_release);
  }
  [[nodiscard]] bool raised() const { return raised_.load(std::memory_order_acquire); }
  /// Empty if all went well. Call when no thread raises any more.
  [[nodiscard]] const std::string& message() const { return message_; }

 private:
  std::mutex mutex_;
  std::string message_;
  std::atomic<bool> raised_{false};
};

/// How a failed assertion of a kernel is told; without a file, `condition` is what the kernel did.
[[nodiscard]] inline std::string assertion_text(const char* condition, const char* file, unsigned line) {
  if (file == nullptr) return condition;
  return std::string("assertion '") + condition + "' failed at " + file + ":" + std::to_string(line);
}

}  // namespace kiln
