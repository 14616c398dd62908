#include "device/cuda/cuda_context.h"

namespace kiln {

CudaContext::CudaContext(std::shared_ptr<const CudaDriver> driver, cuda_abi::DeviceNumber device)
    : GpuContext(std::move(driver)) {
  run(call().primary_context_retain, &place_, device);
  retained_.reset({driver_.get(), device});
}

CurrentContext CudaContext::push() {
  run(call().context_push, place_);
  return CurrentContext(driver_.get());
}

}  // namespace kiln
