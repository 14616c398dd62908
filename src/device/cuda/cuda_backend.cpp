#include "device/cuda/cuda_backend.h"

#include "device/cuda/cuda_device.h"
#include "device/cuda/driver.h"
#include "device/vendor_backend.h"

namespace kiln {
namespace {

struct Cuda {
  using Library = CudaDriver;

  static const char* name() { return "cuda"; }
  [[nodiscard]] OpenedLibrary<CudaDriver> open_library() const { return open_cuda_driver(places, files); }
  [[nodiscard]] static int count(const CudaDriver& driver) {
    int devices = 0;
    return driver.call.device_get_count(&devices) == cuda_abi::kSuccess ? devices : 0;
  }
  [[nodiscard]] static std::string no_device(const CudaDriver& driver) {
    return "the NVIDIA driver (" + driver.description() +
           ") shows no device: see what nvidia-smi says, and CUDA_VISIBLE_DEVICES";
  }
  [[nodiscard]] static DeviceInfo describe(const CudaDriver& driver, int ordinal) {
    return describe_cuda_device(driver, ordinal);
  }
  [[nodiscard]] std::shared_ptr<Device> open_device(const std::shared_ptr<const CudaDriver>& driver,
                                                    int ordinal) const {
    return open_cuda_device(driver, ordinal, files);
  }

  CudaPlaces places;
  FileSystem& files;
};

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(CudaPlaces places, FileSystem& files) {
  return std::make_unique<VendorBackend<Cuda>>(Cuda{std::move(places), files});
}

}  // namespace kiln
