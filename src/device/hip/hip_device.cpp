#include "device/hip/hip_device.h"

#include <array>

#include "device/gpu/gpu_device.h"
#include "device/hip/hip_module.h"
#include "device/hip/hip_vendor.h"
#include "kiln/error.h"

namespace kiln {
namespace {

using hip_abi::DeviceAttribute;

/// "gfx90a:sramecc+:xnack-", which only the properties have; see hip_abi.h.
std::string isa_name(const HipRuntime& runtime, int ordinal) {
  const bool newer = runtime.call.get_device_properties_r0600 != nullptr;
  const auto get = newer ? runtime.call.get_device_properties_r0600 : runtime.call.get_device_properties;
  const std::size_t offset = newer ? hip_abi::kIsaNameOffsetR0600 : hip_abi::kIsaNameOffset;
  alignas(std::max_align_t) std::array<char, hip_abi::kPropertiesBytes> properties{};
  check_hip(runtime, get(properties.data(), ordinal),
            newer ? "hipGetDevicePropertiesR0600" : "hipGetDeviceProperties");
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
  hip_abi::DeviceNumber device = 0;
  check_hip(runtime, runtime.call.device_get(&device, ordinal), "hipDeviceGet");
  const auto attribute = [&](DeviceAttribute which) {
    int value = 0;
    check_hip(runtime, runtime.call.device_get_attribute(&value, which, ordinal), "hipDeviceGetAttribute");
    return value;
  };
  // What is good to know, but nothing fails for want of it.
  const auto attribute_if_told = [&](DeviceAttribute which) {
    int value = 0;
    return runtime.call.device_get_attribute(&value, which, ordinal) == hip_abi::kSuccess ? value : 0;
  };
  const auto size = [&](DeviceAttribute which) { return static_cast<std::uint64_t>(attribute(which)); };
  DeviceInfo info;
  info.id = "hip:" + std::to_string(ordinal);
  std::array<char, 256> name{};
  check_hip(runtime, runtime.call.device_get_name(name.data(), static_cast<int>(name.size()) - 1, device),
            "hipDeviceGetName");
  info.name = name.data();
  info.target = {"hip", isa_name(runtime, ordinal), attribute(DeviceAttribute::kWarpSize)};
  info.compute_units = attribute(DeviceAttribute::kMultiprocessors);
  std::size_t memory = 0;
  check_hip(runtime, runtime.call.device_total_memory(&memory, device), "hipDeviceTotalMem");
  info.memory_bytes = memory;
  info.l2_bytes = size(DeviceAttribute::kL2Bytes);
  info.memory_bandwidth = theoretical_bandwidth(attribute_if_told(DeviceAttribute::kMemoryClockKhz),
                                                attribute_if_told(DeviceAttribute::kMemoryBusBits));
  info.driver = runtime.description();
  info.limits.max_threads_per_block = size(DeviceAttribute::kMaxThreadsPerBlock);
  info.limits.max_block = {size(DeviceAttribute::kMaxBlockX), size(DeviceAttribute::kMaxBlockY),
                           size(DeviceAttribute::kMaxBlockZ)};
  info.limits.max_grid = {size(DeviceAttribute::kMaxGridX), size(DeviceAttribute::kMaxGridY),
                          size(DeviceAttribute::kMaxGridZ)};
  info.limits.max_shared_bytes_per_block = size(DeviceAttribute::kMaxSharedBytes);
  info.limits.max_threads_per_unit = size(DeviceAttribute::kMaxThreadsPerUnit);
  info.limits.cooperative = runtime.call.launch_cooperative_kernel != nullptr &&
                            attribute(DeviceAttribute::kCooperativeLaunch) != 0;
  return info;
}

std::shared_ptr<Device> open_hip_device(const std::shared_ptr<const HipRuntime>& runtime, int ordinal) {
  return std::make_shared<HipDevice>(runtime, ordinal);
}

}  // namespace kiln
