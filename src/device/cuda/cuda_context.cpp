#include "device/cuda/cuda_context.h"

namespace kiln {

CudaContext::CudaContext(std::shared_ptr<const CudaDriver> driver, cuda_abi::DeviceNumber device)
    : driver_(std::move(driver)) {
  check(driver_->call.primary_context_retain(&context_, device), "cuDevicePrimaryCtxRetain");
  retained_.reset({driver_.get(), device});
}

CurrentContext CudaContext::push() const {
  check(driver_->call.context_push(context_), "cuCtxPushCurrent");
  return CurrentContext(driver_.get());
}

const std::string& CudaContext::keep_name(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return *names_.insert(name).first;
}

}  // namespace kiln
