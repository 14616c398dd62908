#include "device/hip/hip_backend.h"

#include <mutex>
#include <optional>

#include "device/hip/hip_device.h"
#include "device/hip/hip_runtime.h"
#include "kiln/error.h"

namespace kiln {
namespace {

class HipBackend final : public Backend {
 public:
  HipBackend(HipPlaces places, FileSystem& files) : places_(std::move(places)), files_(files) {}

  [[nodiscard]] const std::string& name() const override { return name_; }

  [[nodiscard]] std::string problem() const override {
    const HipRuntimeResult& found = runtime();
    if (!found.runtime) return found.problem;
    if (count() == 0) {
      return "the HIP run time in " + found.runtime->path + " (" + found.runtime->description() +
             ") shows no device: see what rocminfo says, whether /dev/kfd may be opened, and "
             "HIP_VISIBLE_DEVICES";
    }
    return "";
  }

  [[nodiscard]] std::vector<DeviceInfo> devices() const override {
    std::vector<DeviceInfo> list;
    const int devices = count();
    list.reserve(static_cast<std::size_t>(devices));
    for (int ordinal = 0; ordinal < devices; ++ordinal)
      list.push_back(describe_hip_device(*runtime().runtime, ordinal));
    return list;
  }

  [[nodiscard]] std::shared_ptr<Device> open(int ordinal) override {
    const HipRuntimeResult& found = runtime();
    if (!found.runtime) throw environment_error(found.problem);
    return open_hip_device(found.runtime, ordinal);
  }

 private:
  [[nodiscard]] const HipRuntimeResult& runtime() const {
    const std::lock_guard lock(mutex_);
    if (!runtime_) runtime_ = open_hip_runtime(places_, files_);
    return *runtime_;
  }

  [[nodiscard]] int count() const {
    const HipRuntimeResult& found = runtime();
    int devices = 0;
    if (!found.runtime || found.runtime->call.get_device_count(&devices) != hip_abi::kSuccess) return 0;
    return devices;
  }

  std::string name_ = "hip";
  HipPlaces places_;
  FileSystem& files_;
  mutable std::mutex mutex_;
  mutable std::optional<HipRuntimeResult> runtime_;  // opened on first use
};

}  // namespace

std::unique_ptr<Backend> make_hip_backend(HipPlaces places, FileSystem& files) {
  return std::make_unique<HipBackend>(std::move(places), files);
}

}  // namespace kiln
