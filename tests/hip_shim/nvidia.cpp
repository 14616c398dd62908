#include "hip_shim/nvidia.h"

#include <map>
#include <mutex>

#include "device/cuda/cuda_device.h"
#include "device/gpu/gpu_context.h"
#include "kiln/error.h"

namespace kiln::hip_shim {

std::shared_ptr<const CudaDriver> driver() {
  static const OpenedLibrary<CudaDriver> found = [] {
    const auto files = make_real_file_system();
    return open_cuda_driver(cuda_places(""), *files);
  }();
  if (!found.library) throw environment_error(found.problem);
  return found.library;
}

const NvrtcLibrary& nvrtc() {
  static const NvrtcLibrary library = [] {
    const auto files = make_real_file_system();
    return open_nvrtc(cuda_places(""), *files);
  }();
  return library;
}

const CudaHeaders& cuda_headers() {
  static const CudaHeaders headers = [] {
    const auto files = make_real_file_system();
    return find_cuda_headers(cuda_places(""), nvrtc().path, nvrtc().major, *files);
  }();
  return headers;
}

CudaContext& context(int device) {
  static std::mutex mutex;
  // Never given back: the driver may be gone when a static object is.
  static auto& contexts = *new std::map<int, std::unique_ptr<CudaContext>>;
  const std::lock_guard lock(mutex);
  auto& made = contexts[device];
  if (!made) {
    cuda_abi::DeviceNumber number = 0;
    check_driver(*driver(), driver()->call.device_get(&number, device), "cuDeviceGet");
    made = std::make_unique<CudaContext>(driver(), number);
  }
  return *made;
}

std::string cuda_arch() {
  try {
    return describe_cuda_device(*driver(), 0).target.arch;
  } catch (const Error&) {
    return "sm_90";
  }
}

}  // namespace kiln::hip_shim
