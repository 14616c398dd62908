#pragma once

#include <atomic>
#include <string>

namespace kiln {

/// Which kernels were launched on a stream since it was last waited for, for the message of a fault: the last
/// one, and whether there were others. Thread-safe; a launch takes no lock.
class LaunchTrace {
 public:
  /// `kernel` outlives the trace (ContextFaults::keep_name).
  void note(const std::string& kernel) {
    const std::string* last = last_.load(std::memory_order_relaxed);
    if (last == &kernel) return;
    several_.store(last != nullptr, std::memory_order_relaxed);
    last_.store(&kernel, std::memory_order_relaxed);
  }

  /// "kernel 'a'" or "kernel 'a', or one launched shortly before it"; empty if there was none. Forgets them.
  [[nodiscard]] std::string take() {
    const std::string* kernel = last_.exchange(nullptr);
    const bool several = several_.exchange(false);
    if (kernel == nullptr) return "";
    return "kernel '" + *kernel + (several ? "', or one launched shortly before it" : "'");
  }

 private:
  std::atomic<const std::string*> last_{nullptr};
  std::atomic<bool> several_{false};
};

}  // namespace kiln
