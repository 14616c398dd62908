#include "device/cuda/cuda_context.h"

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
  faults_.fail([&] { throw_cuda_error(*driver_, result, call, detail); });
}

void CudaContext::refuse(cuda_abi::Result result, const char* call, const std::string& detail) {
  faults_.refuse([&] { throw_cuda_error(*driver_, result, call, detail); });
}

}  // namespace kiln
