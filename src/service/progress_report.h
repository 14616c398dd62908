#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include "base/clock.h"
#include "compile/compiler.h"
#include "kiln/progress.h"

namespace kiln {

/// A program's ProgressFunction, called by one thread at a time.
class ProgressListener {
 public:
  explicit ProgressListener(ProgressFunction function) : function_(std::move(function)) {}
  /// False: the request has to end.
  [[nodiscard]] bool tell(const GetProgress& progress) noexcept {
    const std::lock_guard lock(mutex_);
    try {
      return function_(progress);
    } catch (...) {  // progress is no reason for a request to fail
      return true;
    }
  }

 private:
  std::mutex mutex_;  // of the calls
  ProgressFunction function_;
};

/// Reports the stages of one request.
class ProgressReport {
 public:
  ProgressReport(ProgressListener& listener, const Clock& clock, std::string kernel)
      : listener_(listener), clock_(clock), kernel_(std::move(kernel)), begin_ns_(clock.steady_ns()) {}

  /// Throws Cancelled where the program does not want the next stage.
  void begin(GetProgress::Stage stage) {
    if (tell(stage)) return;
    cancelled_ = true;
    throw Cancelled();
  }
  /// Nothing where no stage has begun: the kernel was in memory.
  void end(bool ready) {
    if (begun_) static_cast<void>(tell(ready ? GetProgress::Stage::kReady : GetProgress::Stage::kFailed));
  }
  [[nodiscard]] bool cancelled() const { return cancelled_; }
  [[nodiscard]] const std::string& kernel() const { return kernel_; }

 private:
  [[nodiscard]] bool tell(GetProgress::Stage stage) {
    begun_ = true;
    return listener_.tell({stage, kernel_, seconds_between(begin_ns_, clock_.steady_ns())});
  }

  ProgressListener& listener_;
  const Clock& clock_;
  std::string kernel_;
  std::int64_t begin_ns_;
  bool begun_ = false, cancelled_ = false;
};

}  // namespace kiln
