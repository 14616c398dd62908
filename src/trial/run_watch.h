#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "record/record.h"

namespace kiln {

/// Records what a job runs, so that it can be named when the process ends in the middle, and limits the time
/// of a launch. `enter` and `leave` are called in measured code and cost a few stores.
class RunWatch {
 public:
  virtual ~RunWatch() = default;
  /// A variant's code is about to be loaded; its record as far as it is known.
  virtual void variant_begins(const Record& so_far) = 0;
  /// Nothing of the variant runs any more.
  virtual void variant_ends() = 0;

  /// A kernel is launched, or waited for, until the next call. Its name stays where it is meanwhile.
  void enter(const std::string& kernel) noexcept {
    kernel_.store(&kernel, std::memory_order_relaxed);
    launches_.store(launches_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  void leave() noexcept { kernel_.store(nullptr, std::memory_order_release); }

  /// The running kernel. Null: none.
  [[nodiscard]] const std::string* kernel() const { return kernel_.load(std::memory_order_acquire); }
  /// Begun so far.
  [[nodiscard]] std::uint64_t launches() const { return launches_.load(std::memory_order_acquire); }

 private:
  std::atomic<const std::string*> kernel_{nullptr};
  std::atomic<std::uint64_t> launches_{0};  // one thread adds
};

/// A kernel that is launched and waited for in a scope. `watch` may be null.
class WatchedLaunch {
 public:
  WatchedLaunch(RunWatch* watch, const std::string& kernel) : watch_(watch) {
    if (watch_ != nullptr) watch_->enter(kernel);
  }
  ~WatchedLaunch() {
    if (watch_ != nullptr) watch_->leave();
  }
  WatchedLaunch(const WatchedLaunch&) = delete;
  WatchedLaunch& operator=(const WatchedLaunch&) = delete;

 private:
  RunWatch* watch_;
};

}  // namespace kiln
