#include "device/cuda/cuda_device.h"

#include <array>
#include <future>

#include "base/async.h"
#include "device/cuda/cuda_clocks.h"
#include "device/cuda/cuda_context.h"
#include "device/cuda/cuda_module.h"
#include "device/cuda/cuda_staging.h"
#include "device/cuda/cuda_tensor_map.h"
#include "device/cuda/cuda_vendor.h"
#include "device/gpu/gpu_device.h"
#include "kiln/error.h"

namespace kiln {
namespace {

using cuda_abi::DeviceAttribute;

cuda_abi::DeviceNumber device_number(const CudaDriver& driver, int ordinal) {
  cuda_abi::DeviceNumber device = 0;
  check_cuda(driver, driver.call.device_get(&device, ordinal), "cuDeviceGet");
  return device;
}

/// "00000000:1b:00.0": the name that the driver and NVML agree on.
std::string pci_address(const CudaDriver& driver, int ordinal) {
  std::array<char, 64> text{};
  check_cuda(driver,
             driver.call.device_get_pci_bus_id(text.data(), static_cast<int>(text.size()) - 1,
                                               device_number(driver, ordinal)),
             "cuDeviceGetPCIBusId");
  return text.data();
}

/// What needs the context, which takes a GPU a tenth of a second to make.
struct WorkingParts {
  explicit WorkingParts(std::shared_ptr<CudaContext> made) : context(std::move(made)), staging(context) {}

  std::shared_ptr<CudaContext> context;
  CudaStaging staging;
};

class CudaDevice final : public GpuDevice<CudaVendor> {
 public:
  /// The context is made beside the caller, who has things to do that need no more than `info`; the first
  /// call that needs it waits, and throws what went wrong.
  CudaDevice(const std::shared_ptr<const CudaDriver>& driver, int ordinal, FileSystem& files)
      : GpuDevice(describe_cuda_device(*driver, ordinal)),
        clock_reader_(pci_address(*driver, ordinal), files),
        parts_(run_beside([driver, ordinal] {
          return std::make_unique<WorkingParts>(
              std::make_shared<CudaContext>(driver, device_number(*driver, ordinal)));
        })) {}

  void copy_to_device(Stream& stream, void* device, const void* host, std::size_t bytes) override {
    if (bytes == 0) return;
    own(stream).require_no_capture("copy_to_device");
    parts_.get()->staging.copy_to_device(own(stream).get(), CudaVendor::address(device), host, bytes);
    stream.synchronize();
  }

  void copy_to_host(Stream& stream, void* host, const void* device, std::size_t bytes) override {
    if (bytes == 0) return;
    own(stream).require_no_capture("copy_to_host");
    stream.synchronize();  // it names the kernel if one has failed
    parts_.get()->staging.copy_to_host(own(stream).get(), host, CudaVendor::address(device), bytes);
  }

  [[nodiscard]] TensorMap encode_tensor_map(const TensorMapLayout& layout, const void* data) override {
    const CurrentContext current = context()->enter();
    return encode_cuda_tensor_map(*context(), layout, data);
  }
  [[nodiscard]] std::optional<DeviceClocks> clocks() override { return clock_reader_.read(); }
  [[nodiscard]] std::unique_ptr<Module> load(const std::string& binary) override {
    return load_cuda_module(context(), binary, info());
  }

 private:
  [[nodiscard]] const std::shared_ptr<CudaContext>& context() const override { return parts_.get()->context; }

  CudaClockReader clock_reader_;
  std::shared_future<std::unique_ptr<WorkingParts>> parts_;
};

}  // namespace

DeviceInfo describe_cuda_device(const CudaDriver& driver, int ordinal) {
  const cuda_abi::DeviceNumber device = device_number(driver, ordinal);
  const auto attribute = [&](DeviceAttribute which) {
    int value = 0;
    check_cuda(driver, driver.call.device_get_attribute(&value, which, device), "cuDeviceGetAttribute");
    return value;
  };
  // What is good to know, but nothing fails for want of it.
  const auto attribute_if_told = [&](DeviceAttribute which) {
    int value = 0;
    return driver.call.device_get_attribute(&value, which, device) == cuda_abi::kSuccess ? value : 0;
  };
  const auto size = [&](DeviceAttribute which) { return static_cast<std::uint64_t>(attribute(which)); };
  DeviceInfo info;
  info.id = "cuda:" + std::to_string(ordinal);
  std::array<char, 256> name{};
  check_cuda(driver, driver.call.device_get_name(name.data(), static_cast<int>(name.size()) - 1, device),
             "cuDeviceGetName");
  info.name = name.data();
  info.target = {"cuda",
                 "sm_" + std::to_string(attribute(DeviceAttribute::kCapabilityMajor)) +
                     std::to_string(attribute(DeviceAttribute::kCapabilityMinor)),
                 32};
  info.compute_units = attribute(DeviceAttribute::kMultiprocessors);
  std::size_t memory = 0;
  check_cuda(driver, driver.call.device_total_memory(&memory, device), "cuDeviceTotalMem");
  info.memory_bytes = memory;
  info.l2_bytes = size(DeviceAttribute::kL2Bytes);
  info.memory_bandwidth = theoretical_bandwidth(attribute_if_told(DeviceAttribute::kMemoryClockKhz),
                                                attribute_if_told(DeviceAttribute::kMemoryBusBits));
  info.driver = driver.description();
  info.limits.max_threads_per_block = size(DeviceAttribute::kMaxThreadsPerBlock);
  info.limits.max_block = {size(DeviceAttribute::kMaxBlockX), size(DeviceAttribute::kMaxBlockY),
                           size(DeviceAttribute::kMaxBlockZ)};
  info.limits.max_grid = {size(DeviceAttribute::kMaxGridX), size(DeviceAttribute::kMaxGridY),
                          size(DeviceAttribute::kMaxGridZ)};
  info.limits.max_shared_bytes_per_block = size(DeviceAttribute::kMaxSharedBytesOptIn);
  info.limits.max_threads_per_unit = size(DeviceAttribute::kMaxThreadsPerMultiprocessor);
  // Both are launched by what CUDA 11.8 brought; drivers before it do not know the second attribute.
  const bool extended = driver.call.launch_kernel_ex != nullptr;
  info.limits.cooperative = extended && attribute(DeviceAttribute::kCooperativeLaunch) != 0;
  info.limits.clusters = extended && attribute(DeviceAttribute::kClusterLaunch) != 0;
  return info;
}

std::shared_ptr<Device> open_cuda_device(const std::shared_ptr<const CudaDriver>& driver, int ordinal,
                                         FileSystem& files) {
  return std::make_shared<CudaDevice>(driver, ordinal, files);
}

}  // namespace kiln
