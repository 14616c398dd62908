#include "device/hip/hip_context.h"

namespace kiln {

SelectedDevice HipContext::enter() {
  int current = 0;
  check(runtime_->call.get_device(&current), "hipGetDevice");
  if (current == device_) return SelectedDevice();
  check(runtime_->call.set_device(device_), "hipSetDevice");
  return SelectedDevice({runtime_.get(), current});
}

void HipContext::fail(hip_abi::Result result, const char* call, const std::string& detail) {
  faults_.fail([&] { throw_hip_error(*runtime_, result, call, detail); });
}

void HipContext::refuse(hip_abi::Result result, const char* call, const std::string& detail) {
  faults_.refuse([&] { throw_hip_error(*runtime_, result, call, detail); });
}

}  // namespace kiln
