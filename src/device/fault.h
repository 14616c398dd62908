#pragma once

#include <string>
#include <utility>

#include "kiln/error.h"

// The errors of one kernel on one device, by their kinds. A job records them and goes on.
namespace kiln {

/// A kernel cannot be launched as it is configured, or the driver refuses its code, its shape or its
/// arguments. Nothing has run, and the device still works.
[[nodiscard]] inline Error unfit_kernel(const std::string& message, const SourceLocation& where = {}) {
  return Error(ErrorKind::kUnfit, message, where);
}

/// A kernel failed while it ran: a barrier that not all work-items reach, an illegal address.
[[nodiscard]] inline Error device_fault(const std::string& message) {
  return Error(ErrorKind::kDeviceFault, message);
}

/// A fault after which the device can run nothing more in this process.
[[nodiscard]] inline Error device_lost(const std::string& message) {
  return Error(ErrorKind::kDeviceLost, message);
}

/// Returns what `action` returns. Errors of kind `from` are thrown as unfit kernels.
template <class Action>
decltype(auto) unfit_where(ErrorKind from, const Action& action) {
  try {
    return action();
  } catch (const Error& error) {
    if (error.kind() != from) throw;
    throw unfit_kernel(error.message(), error.location());
  }
}

}  // namespace kiln
