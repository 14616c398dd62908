#include "device/cuda/cuda_backend.h"

#include <mutex>
#include <optional>

#include "device/cuda/cuda_device.h"
#include "device/cuda/driver.h"
#include "kiln/error.h"

namespace kiln {
namespace {

class CudaBackend final : public Backend {
 public:
  CudaBackend(CudaPlaces places, FileSystem& files) : places_(std::move(places)), files_(files) {}

  [[nodiscard]] const std::string& name() const override { return name_; }

  [[nodiscard]] std::string problem() const override {
    const CudaDriverResult& found = driver();
    if (!found.driver) return found.problem;
    if (count() == 0) {
      return "the NVIDIA driver (" + found.driver->description() +
             ") shows no device: see what nvidia-smi says, and CUDA_VISIBLE_DEVICES";
    }
    return "";
  }

  [[nodiscard]] std::vector<DeviceInfo> devices() const override {
    std::vector<DeviceInfo> list;
    const int devices = count();
    list.reserve(static_cast<std::size_t>(devices));
    for (int ordinal = 0; ordinal < devices; ++ordinal)
      list.push_back(describe_cuda_device(*driver().driver, ordinal));
    return list;
  }

  [[nodiscard]] std::shared_ptr<Device> open(int ordinal) override {
    const CudaDriverResult& found = driver();
    if (!found.driver) throw environment_error(found.problem);
    return open_cuda_device(found.driver, ordinal, files_);
  }

 private:
  [[nodiscard]] const CudaDriverResult& driver() const {
    const std::lock_guard lock(mutex_);
    if (!driver_) driver_ = open_cuda_driver(places_, files_);
    return *driver_;
  }

  [[nodiscard]] int count() const {
    const CudaDriverResult& found = driver();
    int devices = 0;
    if (!found.driver || found.driver->call.device_get_count(&devices) != cuda_abi::kSuccess) return 0;
    return devices;
  }

  std::string name_ = "cuda";
  CudaPlaces places_;
  FileSystem& files_;
  mutable std::mutex mutex_;
  mutable std::optional<CudaDriverResult> driver_;  // opened on first use
};

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(CudaPlaces places, FileSystem& files) {
  return std::make_unique<CudaBackend>(std::move(places), files);
}

}  // namespace kiln
