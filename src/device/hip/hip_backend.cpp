#include "device/hip/hip_backend.h"

#include "device/hip/hip_device.h"
#include "device/hip/hip_runtime.h"
#include "device/vendor_backend.h"

namespace kiln {
namespace {

struct Hip {
  using Library = HipRuntime;

  static const char* name() { return "hip"; }
  [[nodiscard]] OpenedLibrary<HipRuntime> open_library() const { return open_hip_runtime(places, files); }
  [[nodiscard]] static int count(const HipRuntime& runtime) {
    int devices = 0;
    return runtime.call.get_device_count(&devices) == hip_abi::kSuccess ? devices : 0;
  }
  [[nodiscard]] static std::string no_device(const HipRuntime& runtime) {
    return "the HIP run time in " + runtime.path + " (" + runtime.description() +
           ") shows no device: see what rocminfo says, whether /dev/kfd may be opened, and "
           "HIP_VISIBLE_DEVICES";
  }
  [[nodiscard]] static DeviceInfo describe(const HipRuntime& runtime, int ordinal) {
    return describe_hip_device(runtime, ordinal);
  }
  [[nodiscard]] static std::shared_ptr<Device> open_device(const std::shared_ptr<const HipRuntime>& runtime,
                                                           int ordinal) {
    return open_hip_device(runtime, ordinal);
  }

  HipPlaces places;
  FileSystem& files;
};

}  // namespace

std::unique_ptr<Backend> make_hip_backend(HipPlaces places, FileSystem& files) {
  return std::make_unique<VendorBackend<Hip>>(Hip{std::move(places), files});
}

}  // namespace kiln
