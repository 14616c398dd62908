#include "device/hip/hip_context.h"

#include "device/fault.h"

namespace kiln {

SelectedDevice HipContext::enter() {
  int current = 0;
  check(runtime_->call.get_device(&current), "hipGetDevice");
  if (current == device_) return SelectedDevice();
  check(runtime_->call.set_device(device_), "hipSetDevice");
  return SelectedDevice({runtime_.get(), current});
}

void HipContext::fail(hip_abi::Result result, const char* call, const std::string& detail) {
  const std::lock_guard lock(mutex_);
  if (!lost_.empty()) {
    throw DeviceFault("the device is lost to this process since an earlier fault: " + lost_, true);
  }
  try {
    throw_hip_error(*runtime_, result, call, detail);
  } catch (const DeviceFault& fault) {
    if (fault.sticky()) lost_ = fault.what();
    throw;
  }
}

const std::string& HipContext::keep_name(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return *names_.insert(name).first;
}

}  // namespace kiln
