#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <utility>

#include "device/cpu/device_launches.h"

namespace kiln {

/// Collects from the threads of one launch their faults, of which it keeps the first one, and the other
/// threads then stop; and the launches that their kernel asked for.
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

  void add_launches(DeviceLaunches&& launches) {
    if (launches.empty()) return;
    const std::lock_guard lock(mutex_);
    launches_.add(std::move(launches));
  }
  /// Call it when no thread can add one any more.
  [[nodiscard]] DeviceLaunches& launches() { return launches_; }

 private:
  std::mutex mutex_;
  std::string message_;
  DeviceLaunches launches_;
  std::atomic<bool> raised_{false};
};

/// The message of a kernel's failed assertion; without a file, `condition` is the kernel's action.
[[nodiscard]] inline std::string assertion_text(const char* condition, const char* file, unsigned line) {
  if (file == nullptr) return condition;
  return std::string("assertion '") + condition + "' failed at " + file + ":" + std::to_string(line);
}

}  // namespace kiln
