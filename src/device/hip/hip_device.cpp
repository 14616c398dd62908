#include "device/hip/hip_device.h"

#include <array>

#include "device/gpu/gpu_device.h"
#include "device/gpu/gpu_info.h"
#include "device/hip/hip_module.h"
#include "device/hip/hip_vendor.h"
#include "kiln/error.h"

namespace kiln {
namespace {

using hip_abi::DeviceAttribute;

/// "gfx90a:sramecc+:xnack-", which only the device's properties contain; see hip_abi.h.
std::string isa_name(const HipRuntime& runtime, int ordinal) {
  const bool newer = runtime.call.get_device_properties_r0600 != nullptr;
  const auto& get = newer ? runtime.call.get_device_properties_r0600 : runtime.call.get_device_properties;
  const std::size_t offset = newer ? hip_abi::kIsaNameOffsetR0600 : hip_abi::kIsaNameOffset;
  alignas(std::max_align_t) std::array<char, hip_abi::kPropertiesBytes> properties{};
  run_call(runtime, get, properties.data(), ordinal);
  const std::string_view text(properties.data() + offset, hip_abi::kIsaNameBytes);
  std::string name(text.substr(0, text.find('\0')));
  if (!name.starts_with("gfx")) {
    throw environment_error(
        "hip:" + std::to_string(ordinal) + ": the HIP run time in " + runtime.path + " (" + runtime.version +
        ") does not tell the device's ISA: expected a name like gfx90a, found '" + name + "'");
  }
  return name;
}

class HipDevice final : public GpuDevice<HipVendor> {
 public:
  HipDevice(const std::shared_ptr<const HipRuntime>& runtime, int ordinal)
      : GpuDevice(describe_hip_device(*runtime, ordinal)),
        context_(std::make_shared<HipContext>(runtime, ordinal)) {}

  [[nodiscard]] std::unique_ptr<Module> load(const std::string& binary) override {
    return load_hip_module(context_, binary, info());
  }

 private:
  [[nodiscard]] const std::shared_ptr<HipContext>& context() const override { return context_; }

  std::shared_ptr<HipContext> context_;
};

}  // namespace

DeviceInfo describe_hip_device(const HipRuntime& runtime, int ordinal) {
  const GpuInfo device(runtime, ordinal);
  DeviceInfo info = device.describe("hip:" + std::to_string(ordinal));
  info.target = {"hip", isa_name(runtime, ordinal), device.attribute(DeviceAttribute::kWarpSize)};
  info.limits.max_shared_bytes_per_block = device.size(DeviceAttribute::kMaxSharedBytes);
  info.limits.cooperative = runtime.call.launch_cooperative_kernel != nullptr &&
                            device.attribute(DeviceAttribute::kCooperativeLaunch) != 0;
  return info;
}

std::shared_ptr<Device> open_hip_device(const std::shared_ptr<const HipRuntime>& runtime, int ordinal) {
  return std::make_shared<HipDevice>(runtime, ordinal);
}

}  // namespace kiln
