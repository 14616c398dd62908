#include "device/hip/hip_device.h"

#include <array>

#include "base/text.h"
#include "device/cache_eviction.h"
#include "device/hip/hip_context.h"
#include "device/hip/hip_module.h"
#include "device/hip/hip_stream.h"
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

class HipBuffer final : public DeviceBuffer {
 public:
  HipBuffer(std::shared_ptr<HipContext> context, hip_abi::DevicePointer address, std::size_t bytes)
      : context_(std::move(context)),
        memory_({&context_->runtime(), context_->device(), address}),
        bytes_(bytes) {}

  [[nodiscard]] void* data() const override { return memory_.get().object; }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }
  [[nodiscard]] void* host_view() const override { return nullptr; }

 private:
  std::shared_ptr<HipContext> context_;
  HipMemory memory_;
  std::size_t bytes_;
};

class HipDevice final : public Device {
 public:
  HipDevice(const std::shared_ptr<const HipRuntime>& runtime, int ordinal)
      : info_(describe_hip_device(*runtime, ordinal)),
        context_(std::make_shared<HipContext>(runtime, ordinal)) {}

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }

  [[nodiscard]] std::uint64_t free_memory_bytes() override {
    const SelectedDevice current = context_->enter();
    std::size_t free = 0;
    std::size_t total = 0;
    context_->check(call().memory_get_info(&free, &total), "hipMemGetInfo");
    return free;
  }

  [[nodiscard]] std::unique_ptr<DeviceBuffer> allocate(std::size_t bytes) override {
    const SelectedDevice current = context_->enter();
    hip_abi::DevicePointer address = nullptr;
    const hip_abi::Result result = call().memory_allocate(&address, std::max<std::size_t>(bytes, 1));
    if (result == hip_abi::kOutOfMemory) {
      throw bad_input("cannot allocate " + format_bytes(bytes) + " on " + info_.id + ": " +
                      format_bytes(free_memory_bytes()) + " of " + format_bytes(info_.memory_bytes) +
                      " are free");
    }
    context_->check(result, "hipMalloc");
    return std::make_unique<HipBuffer>(context_, address, bytes);
  }

  void copy_to_device(Stream& stream, void* device, const void* host, std::size_t bytes) override {
    if (bytes == 0) return;
    {
      const SelectedDevice current = context_->enter();
      context_->check(call().copy_to_device(device, host, bytes, native(stream)), "hipMemcpyHtoDAsync");
    }
    stream.synchronize();
  }

  void copy_to_host(Stream& stream, void* host, const void* device, std::size_t bytes) override {
    if (bytes == 0) return;
    stream.synchronize();  // it names the kernel if one has failed
    {
      const SelectedDevice current = context_->enter();
      context_->check(call().copy_to_host(host, device, bytes, native(stream)), "hipMemcpyDtoHAsync");
    }
    stream.synchronize();
  }

  void copy_on_device(Stream& stream, void* to, const void* from, std::size_t bytes) override {
    if (bytes == 0) return;
    const SelectedDevice current = context_->enter();
    context_->check(call().copy_on_device(to, from, bytes, native(stream)), "hipMemcpyDtoDAsync");
  }

  void fill_bytes(Stream& stream, void* device, unsigned char value, std::size_t bytes) override {
    if (bytes == 0) return;
    const SelectedDevice current = context_->enter();
    context_->check(call().fill_bytes(device, value, bytes, native(stream)), "hipMemsetD8Async");
  }

  [[nodiscard]] std::unique_ptr<Stream> create_stream() override {
    return std::make_unique<HipStream>(context_);
  }
  [[nodiscard]] std::unique_ptr<Stream> default_stream() override {
    return std::make_unique<HipStream>(context_, nullptr);
  }
  /// Of a stream that was created as blocking, the null stream tells.
  [[nodiscard]] bool is_capturing(void* native) override {
    const SelectedDevice current = context_->enter();
    hip_abi::CaptureStatus status = hip_abi::CaptureStatus::kNone;
    const hip_abi::Result result = call().stream_is_capturing(static_cast<hip_abi::Stream>(native), &status);
    if (result == hip_abi::kStreamCaptureImplicit) return true;
    context_->check(result, "hipStreamIsCapturing");
    return status != hip_abi::CaptureStatus::kNone;
  }

  [[nodiscard]] std::unique_ptr<Event> create_event() override { return make_hip_event(context_); }
  [[nodiscard]] std::unique_ptr<Module> load(const std::string& binary) override {
    return load_hip_module(context_, binary, info_);
  }

  void flush_cache(Stream& stream) override { eviction_.enqueue(*this, stream); }

 private:
  [[nodiscard]] const hip_abi::Functions& call() const { return context_->runtime().call; }
  static hip_abi::Stream native(const Stream& stream) {
    return static_cast<hip_abi::Stream>(stream.native());
  }

  DeviceInfo info_;
  std::shared_ptr<HipContext> context_;
  CacheEviction eviction_;
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
