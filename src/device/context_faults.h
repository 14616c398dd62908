#pragma once

#include <mutex>
#include <set>
#include <string>

#include "device/fault.h"
#include "kiln/error.h"

namespace kiln {

/// The faults that a context on a GPU remembers: the first fault that ended it, and the kernels' names for
/// messages. Thread-safe.
class ContextFaults {
 public:
  /// Calls `raise`, which throws. Once the device is lost, throws the message of the fault that caused it.
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

  /// As `fail`, for a request of one kernel: an error of the environment that `raise` throws becomes an unfit
  /// kernel.
  template <class Raise>
  [[noreturn]] void refuse(Raise&& raise) {
    fail([&] { unfit_where(ErrorKind::kEnvironment, raise); });
  }

  /// A copy of the name whose address is valid as long as this object.
  [[nodiscard]] const std::string& keep_name(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return *names_.insert(name).first;
  }

 private:
  std::mutex mutex_;  // guards the members below
  std::string lost_;  // the first fault
  std::set<std::string> names_;
};

}  // namespace kiln
