#pragma once

#include <stdexcept>
#include <string>

#include "kiln/error.h"

namespace kiln {

/// A kernel failed while it ran: a barrier that not all work-items reach, an illegal address. It ends one
/// variant, not the job, unless `sticky`: then the device can run nothing more in this process.
class DeviceFault : public std::runtime_error {
 public:
  explicit DeviceFault(const std::string& message, bool sticky = false)
      : std::runtime_error(message), sticky_(sticky) {}
  [[nodiscard]] bool sticky() const { return sticky_; }

 private:
  bool sticky_;
};

/// A driver does not take what one kernel asks of it: its code, its shape, its arguments. Nothing has run,
/// and the device goes on.
class DeviceRefusal : public Error {
 public:
  explicit DeviceRefusal(const std::string& message) : Error(ErrorKind::kEnvironment, message) {}
};

/// A kernel cannot be launched as it is configured: the message names the place, the values and the limit.
class UnfitKernel : public Error {
 public:
  explicit UnfitKernel(const std::string& message, const SourceLocation& where = {})
      : Error(ErrorKind::kBadInput, message, where) {}
};

}  // namespace kiln
