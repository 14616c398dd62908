#pragma once

#include <atomic>
#include <string>

namespace kiln {

/// The kernels that were launched on a stream since the last synchronize, for the message of a fault: the
/// last one, and whether there were others. Thread-safe; a launch takes no lock.
class LaunchTrace {
 public:
  struct Kernels {
    const std::string* last = nullptr;
    bool several = false;
  };

  /// `kernel` outlives the trace (ContextFaults::keep_name).
  void note(const std::string& kernel) {
    const std::string* last = last_.load(std::memory_order_relaxed);
    if (last == &kernel) return;
    several_.store(last != nullptr, std::memory_order_relaxed);
    last_.store(&kernel, std::memory_order_relaxed);
  }
  /// Adds the kernels of a launched graph.
  void note(const Kernels& kernels) {
    if (kernels.last == nullptr) return;
    note(*kernels.last);
    if (kernels.several) several_.store(true, std::memory_order_relaxed);
  }

  [[nodiscard]] Kernels kernels() const { return {last_.load(), several_.load()}; }
  /// Replaces the kernels and returns the previous ones.
  Kernels exchange(const Kernels& kernels) {
    const std::string* last = last_.exchange(kernels.last);
    return {last, several_.exchange(kernels.several)};
  }
  /// "kernel 'a'" or "kernel 'a', or one launched shortly before it"; empty if no kernel was launched.
  /// Forgets the kernels.
  [[nodiscard]] std::string take() { return text_of(exchange({})); }
  [[nodiscard]] static std::string text_of(const Kernels& kernels) {
    if (kernels.last == nullptr) return "";
    return "kernel '" + *kernels.last + (kernels.several ? "', or one launched shortly before it" : "'");
  }

 private:
  std::atomic<const std::string*> last_{nullptr};
  std::atomic<bool> several_{false};
};

}  // namespace kiln
