#include "device/cuda/cuda_context.h"

#include "device/fault.h"

namespace kiln {

CudaContext::CudaContext(std::shared_ptr<const CudaDriver> driver, cuda_abi::DeviceNumber device)
    : driver_(std::move(driver)) {
  check(driver_->call.primary_context_retain(&context_, device), "cuDevicePrimaryCtxRetain");
  retained_.reset({driver_.get(), device});
}

CurrentContext CudaContext::push() {
  check(driver_->call.context_push(context_), "cuCtxPushCurrent");
  return CurrentContext(driver_.get());
}

void CudaContext::fail(cuda_abi::Result result, const char* call, const std::string& detail) {
  const std::lock_guard lock(mutex_);
  if (!lost_.empty()) {
    throw DeviceFault("the device is lost to this process since an earlier fault: " + lost_, true);
  }
  try {
    throw_cuda_error(*driver_, result, call, detail);
  } catch (const DeviceFault& fault) {
    if (fault.sticky()) lost_ = fault.what();
    throw;
  }
}

const std::string& CudaContext::keep_name(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return *names_.insert(name).first;
}

}  // namespace kiln
