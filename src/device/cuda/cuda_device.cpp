#include "device/cuda/cuda_device.h"

#include <array>
#include <future>

#include "base/async.h"
#include "device/cuda/cuda_context.h"
#include "device/cuda/cuda_management.h"
#include "device/cuda/cuda_module.h"
#include "device/cuda/cuda_staging.h"
#include "device/cuda/cuda_tensor_map.h"
#include "device/cuda/cuda_texture.h"
#include "device/cuda/cuda_vendor.h"
#include "device/gpu/gpu_device.h"
#include "device/gpu/gpu_info.h"
#include "kiln/error.h"

namespace kiln {
namespace {

using cuda_abi::DeviceAttribute;

/// The members that need the context, which takes a tenth of a second to create.
struct WorkingParts {
  explicit WorkingParts(std::shared_ptr<CudaContext> made)
      : context(std::move(made)), staging(context), textures(context) {}

  std::shared_ptr<CudaContext> context;
  CudaStaging staging;
  CudaTextures textures;
};

class CudaDevice final : public GpuDevice<CudaVendor> {
 public:
  /// The context is created in the background, because callers first need no more than `info`. The first call
  /// that needs the context waits, and throws the error of its creation.
  CudaDevice(const std::shared_ptr<const CudaDriver>& driver, int ordinal, FileSystem& files)
      : GpuDevice(describe_cuda_device(*driver, ordinal)),
        management_(info().pci_address, files),
        parts_(run_beside([driver, ordinal] {
          return std::make_unique<WorkingParts>(
              std::make_shared<CudaContext>(driver, GpuInfo(*driver, ordinal).device()));
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
  [[nodiscard]] std::uint64_t texture(const TextureLayout& layout, const void* data) override {
    return parts_.get()->textures.get(layout, data);
  }
  [[nodiscard]] std::optional<DeviceClocks> clocks() override { return management_.clocks(); }
  [[nodiscard]] std::optional<double> energy_joules() override { return management_.energy_joules(); }
  [[nodiscard]] std::unique_ptr<Module> load(const std::string& binary) override {
    return load_cuda_module(context(), binary, info());
  }

 private:
  [[nodiscard]] const std::shared_ptr<CudaContext>& context() const override { return parts_.get()->context; }

  CudaManagement management_;
  std::shared_future<std::unique_ptr<WorkingParts>> parts_;
};

}  // namespace

DeviceInfo describe_cuda_device(const CudaDriver& driver, int ordinal) {
  const GpuInfo device(driver, ordinal);
  DeviceInfo info = device.describe("cuda:" + std::to_string(ordinal));
  info.target = {"cuda",
                 "sm_" + std::to_string(device.attribute(DeviceAttribute::kCapabilityMajor)) +
                     std::to_string(device.attribute(DeviceAttribute::kCapabilityMinor)),
                 32};
  info.limits.max_shared_bytes_per_block = device.size(DeviceAttribute::kMaxSharedBytesOptIn);
  // Both need the function that CUDA 11.8 added; older drivers do not know the second attribute.
  const bool extended = driver.call.launch_kernel_ex != nullptr;
  info.limits.cooperative = extended && device.attribute(DeviceAttribute::kCooperativeLaunch) != 0;
  info.limits.clusters = extended && device.attribute(DeviceAttribute::kClusterLaunch) != 0;
  return info;
}

std::shared_ptr<Device> open_cuda_device(const std::shared_ptr<const CudaDriver>& driver, int ordinal,
                                         FileSystem& files) {
  return std::make_shared<CudaDevice>(driver, ordinal, files);
}

}  // namespace kiln
