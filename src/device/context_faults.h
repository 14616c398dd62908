#pragma once

#include <mutex>
#include <set>
#include <string>

#include "device/fault.h"
#include "kiln/error.h"

namespace kiln {

/// What a context on a GPU remembers of faults: the first that ended it, and the kernels' names for messages.
/// Thread-safe.
class ContextFaults {
 public:
  /// Calls `raise`, which throws; once the device is lost, throws the message of the fault that did it.
  template <class Raise>
  [[noreturn]] void fail(Raise&& raise) {
    const std::lock_guard lock(mutex_);
    if (!lost_.empty())
      throw device_lost("the device is lost to this process since an earlier fault: " + lost_);
    try {
      raise();
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kDeviceLost) lost_ = error.what();
      throw;
    }
    throw internal_error("an error was to be raised and was not");
  }

  /// As `fail`, for what one kernel asked: what `raise` throws as an error of the environment is an unfit
  /// kernel here.
  template <class Raise>
  [[noreturn]] void refuse(Raise&& raise) {
    fail([&] { unfit_where(ErrorKind::kEnvironment, raise); });
  }

  /// The same text at an address that lasts as long as this object.
  [[nodiscard]] const std::string& keep_name(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return *names_.insert(name).first;
  }

 private:
  std::mutex mutex_;  // of what follows
  std::string lost_;  // the first fault
  std::set<std::string> names_;
};

}  // namespace kiln
