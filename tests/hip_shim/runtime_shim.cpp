// The part of the HIP run time that Kiln calls, over the CUDA driver. The numbers of the results are CUDA's:
// the numbers that Kiln distinguishes are equal in both.
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>

#include "device/cuda/cuda_device.h"
#include "device/hip/hip_abi.h"
#include "hip_shim/code_object_writer.h"
#include "hip_shim/nvidia.h"
#include "kiln/error.h"

#define KILN_SHIM extern "C" __attribute__((visibility("default")))

namespace {

using namespace kiln;
using namespace kiln::hip_shim;
using hip_abi::DeviceAttribute;
using hip_abi::Result;

thread_local int selected_device = 0;

/// Whatever goes wrong in the shim itself is no CUDA error.
constexpr Result kUnknown = 999;

/// Calls the driver with the selected device's context current. No exception may leave a C interface.
Result in_context(const std::function<cuda_abi::Result(const cuda_abi::Functions&)>& body) {
  try {
    CudaContext& current = context(selected_device);
    const CurrentContext entered = current.enter();
    return body(current.driver().call);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hip shim: %s\n", error.what());
    return kUnknown;
  }
}

Result without_context(const std::function<cuda_abi::Result(const cuda_abi::Functions&)>& body) {
  try {
    return body(driver()->call);
  } catch (const std::exception&) {
    return hip_abi::kNoDevice;
  }
}

cuda_abi::DevicePointer number(const void* address) {
  return reinterpret_cast<cuda_abi::DevicePointer>(address);
}

template <class Handle>
Handle cuda(void* handle) {
  return static_cast<Handle>(handle);
}

/// With a bus of this width the clock determines the bandwidth.
constexpr std::uint64_t kShimBusBits = 4096;

int attribute_value(const DeviceInfo& info, DeviceAttribute attribute) {
  const DeviceLimits& limits = info.limits;
  const auto value = [&]() -> std::uint64_t {
    switch (attribute) {
      case DeviceAttribute::kCooperativeLaunch:
        return limits.cooperative ? 1 : 0;
      case DeviceAttribute::kL2Bytes:
        return info.l2_bytes;
      case DeviceAttribute::kMemoryBusBits:
        return kShimBusBits;
      case DeviceAttribute::kMemoryClockKhz:
        return static_cast<std::uint64_t>(info.memory_bandwidth * 1e6 / (2 * kShimBusBits / 8));
      case DeviceAttribute::kMaxBlockX:
        return limits.max_block.x;
      case DeviceAttribute::kMaxBlockY:
        return limits.max_block.y;
      case DeviceAttribute::kMaxBlockZ:
        return limits.max_block.z;
      case DeviceAttribute::kMaxGridX:
        return limits.max_grid.x;
      case DeviceAttribute::kMaxGridY:
        return limits.max_grid.y;
      case DeviceAttribute::kMaxGridZ:
        return limits.max_grid.z;
      case DeviceAttribute::kMaxThreadsPerBlock:
        return limits.max_threads_per_block;
      case DeviceAttribute::kMaxThreadsPerMultiprocessor:
        return limits.max_threads_per_unit;
      case DeviceAttribute::kMultiprocessors:
        return static_cast<std::uint64_t>(info.compute_units);
      case DeviceAttribute::kMaxSharedBytes:
        return limits.max_shared_bytes_per_block;
      case DeviceAttribute::kWarpSize:
        return kWavefrontSize;
    }
    return 0;
  }();
  return static_cast<int>(value);
}

}  // namespace

KILN_SHIM Result hipInit(unsigned /*flags*/) {
  return without_context([](const auto&) { return cuda_abi::kSuccess; });
}
/// 0.0.0: no release of HIP.
KILN_SHIM Result hipRuntimeGetVersion(int* version) {
  *version = 0;
  return hip_abi::kSuccess;
}
KILN_SHIM const char* hipGetErrorName(Result error) {
  const char* text = nullptr;
  without_context([&](const auto& call) { return call.get_error_name(error, &text); });
  return text != nullptr ? text : "unknown";
}
KILN_SHIM const char* hipGetErrorString(Result error) {
  const char* text = nullptr;
  without_context([&](const auto& call) { return call.get_error_string(error, &text); });
  return text != nullptr ? text : "unknown";
}
KILN_SHIM Result hipGetDeviceCount(int* count) {
  return without_context([&](const auto& call) { return call.device_get_count(count); });
}
KILN_SHIM Result hipDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return hip_abi::kSuccess;
}
KILN_SHIM Result hipDeviceGetName(char* name, int length, int device) {
  return without_context([&](const auto&) {
    const std::string text = std::string(kMark) + ": " + describe_cuda_device(*driver(), device).name;
    std::snprintf(name, static_cast<std::size_t>(length), "%s", text.c_str());
    return cuda_abi::kSuccess;
  });
}
KILN_SHIM Result hipDeviceTotalMem(std::size_t* bytes, int device) {
  return without_context([&](const auto&) {
    *bytes = describe_cuda_device(*driver(), device).memory_bytes;
    return cuda_abi::kSuccess;
  });
}
KILN_SHIM Result hipDeviceGetAttribute(int* value, DeviceAttribute attribute, int device) {
  return without_context([&](const auto&) {
    *value = attribute_value(describe_cuda_device(*driver(), device), attribute);
    return cuda_abi::kSuccess;
  });
}
KILN_SHIM Result hipGetDevicePropertiesR0600(void* properties, int /*device*/) {
  std::snprintf(static_cast<char*>(properties) + hip_abi::kIsaNameOffsetR0600, hip_abi::kIsaNameBytes, "%s",
                kIsa);
  return hip_abi::kSuccess;
}
KILN_SHIM Result hipGetDevice(int* device) {
  *device = selected_device;
  return hip_abi::kSuccess;
}
KILN_SHIM Result hipSetDevice(int device) {
  selected_device = device;
  return hip_abi::kSuccess;
}
KILN_SHIM Result hipMemGetInfo(std::size_t* free, std::size_t* total) {
  return in_context([&](const auto& call) { return call.memory_get_info(free, total); });
}
KILN_SHIM Result hipMalloc(void** address, std::size_t bytes) {
  return in_context([&](const auto& call) {
    cuda_abi::DevicePointer found = 0;
    const cuda_abi::Result result = call.memory_allocate(&found, bytes);
    *address = reinterpret_cast<void*>(found);  // NOLINT(performance-no-int-to-ptr)
    return result;
  });
}
KILN_SHIM Result hipFree(void* address) {
  return in_context([&](const auto& call) { return call.memory_free(number(address)); });
}
KILN_SHIM Result hipHostMalloc(void** address, std::size_t bytes, unsigned flags) {
  return in_context([&](const auto& call) { return call.host_allocate(address, bytes, flags); });
}
KILN_SHIM Result hipHostFree(void* address) {
  return in_context([&](const auto& call) { return call.host_free(address); });
}
KILN_SHIM Result hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                    std::size_t bytes, void* stream) {
  return in_context([&](const auto& call) {
    return call.copy_from_peer(number(to), context(to_device).place(), number(from),
                               context(from_device).place(), bytes, cuda<cuda_abi::Stream>(stream));
  });
}
KILN_SHIM Result hipDeviceEnablePeerAccess(int peer, unsigned flags) {
  return in_context([&](const auto& call) { return call.enable_peer_access(context(peer).place(), flags); });
}
KILN_SHIM Result hipMemcpyHtoDAsync(void* to, const void* from, std::size_t bytes, void* stream) {
  return in_context([&](const auto& call) {
    return call.copy_to_device(number(to), from, bytes, cuda<cuda_abi::Stream>(stream));
  });
}
KILN_SHIM Result hipMemcpyDtoHAsync(void* to, const void* from, std::size_t bytes, void* stream) {
  return in_context([&](const auto& call) {
    return call.copy_to_host(to, number(from), bytes, cuda<cuda_abi::Stream>(stream));
  });
}
KILN_SHIM Result hipMemcpyDtoDAsync(void* to, const void* from, std::size_t bytes, void* stream) {
  return in_context([&](const auto& call) {
    return call.copy_on_device(number(to), number(from), bytes, cuda<cuda_abi::Stream>(stream));
  });
}
KILN_SHIM Result hipMemsetD8Async(void* address, unsigned char value, std::size_t bytes, void* stream) {
  return in_context([&](const auto& call) {
    return call.fill_bytes(number(address), value, bytes, cuda<cuda_abi::Stream>(stream));
  });
}
KILN_SHIM Result hipStreamCreateWithFlags(cuda_abi::Stream* stream, unsigned flags) {
  return in_context([&](const auto& call) { return call.stream_create(stream, flags); });
}
KILN_SHIM Result hipStreamDestroy(void* stream) {
  return in_context([&](const auto& call) { return call.stream_destroy(cuda<cuda_abi::Stream>(stream)); });
}
KILN_SHIM Result hipStreamSynchronize(void* stream) {
  return in_context(
      [&](const auto& call) { return call.stream_synchronize(cuda<cuda_abi::Stream>(stream)); });
}
KILN_SHIM Result hipStreamWaitEvent(void* stream, void* event, unsigned flags) {
  return in_context([&](const auto& call) {
    return call.stream_wait_event(cuda<cuda_abi::Stream>(stream), cuda<cuda_abi::Event>(event), flags);
  });
}
KILN_SHIM Result hipStreamBeginCapture(void* stream, cuda_abi::CaptureMode mode) {
  return in_context(
      [&](const auto& call) { return call.begin_capture(cuda<cuda_abi::Stream>(stream), mode); });
}
KILN_SHIM Result hipStreamEndCapture(void* stream, cuda_abi::Graph* graph) {
  return in_context(
      [&](const auto& call) { return call.end_capture(cuda<cuda_abi::Stream>(stream), graph); });
}
KILN_SHIM Result hipGraphDestroy(void* graph) {
  return in_context([&](const auto& call) { return call.graph_destroy(cuda<cuda_abi::Graph>(graph)); });
}
KILN_SHIM Result hipGraphExecDestroy(void* instance) {
  return in_context(
      [&](const auto& call) { return call.graph_instance_destroy(cuda<cuda_abi::GraphInstance>(instance)); });
}
KILN_SHIM Result hipGraphInstantiateWithFlags(cuda_abi::GraphInstance* instance, void* graph,
                                              unsigned long long flags) {
  return in_context([&](const auto& call) {
    if (call.graph_instantiate == nullptr) return cuda_abi::kNotFound;
    return call.graph_instantiate(instance, cuda<cuda_abi::Graph>(graph), flags);
  });
}
KILN_SHIM Result hipGraphLaunch(void* instance, void* stream) {
  return in_context([&](const auto& call) {
    return call.graph_launch(cuda<cuda_abi::GraphInstance>(instance), cuda<cuda_abi::Stream>(stream));
  });
}
KILN_SHIM Result hipStreamIsCapturing(void* stream, cuda_abi::CaptureStatus* status) {
  return in_context(
      [&](const auto& call) { return call.stream_is_capturing(cuda<cuda_abi::Stream>(stream), status); });
}
KILN_SHIM Result hipEventCreateWithFlags(cuda_abi::Event* event, unsigned flags) {
  return in_context([&](const auto& call) { return call.event_create(event, flags); });
}
KILN_SHIM Result hipEventDestroy(void* event) {
  return in_context([&](const auto& call) { return call.event_destroy(cuda<cuda_abi::Event>(event)); });
}
KILN_SHIM Result hipEventRecord(void* event, void* stream) {
  return in_context([&](const auto& call) {
    return call.event_record(cuda<cuda_abi::Event>(event), cuda<cuda_abi::Stream>(stream));
  });
}
KILN_SHIM Result hipEventElapsedTime(float* milliseconds, void* start, void* end) {
  return in_context([&](const auto& call) {
    return call.event_elapsed(milliseconds, cuda<cuda_abi::Event>(start), cuda<cuda_abi::Event>(end));
  });
}
KILN_SHIM Result hipModuleLoadData(cuda_abi::Module* module, const void* image) {
  const auto cubin = payload_of(image);
  if (!cubin) return hip_abi::kNoBinaryForGpu;
  return in_context(
      [&](const auto& call) { return call.module_load(module, cubin->data(), 0, nullptr, nullptr); });
}
KILN_SHIM Result hipModuleUnload(void* module) {
  return in_context([&](const auto& call) { return call.module_unload(cuda<cuda_abi::Module>(module)); });
}
/// All the shared memory that the device has may be asked for at a launch, as on AMD's GPUs.
KILN_SHIM Result hipModuleGetFunction(cuda_abi::Function* function, void* module, const char* name) {
  return in_context([&](const auto& call) {
    using cuda_abi::FunctionAttribute;
    const cuda_abi::Result result = call.module_get_function(function, cuda<cuda_abi::Module>(module), name);
    if (result != cuda_abi::kSuccess) return result;
    int fixed = 0;
    call.function_get_attribute(&fixed, FunctionAttribute::kStaticSharedBytes, *function);
    const auto limit = describe_cuda_device(*driver(), selected_device).limits.max_shared_bytes_per_block;
    return call.function_set_attribute(*function, FunctionAttribute::kMaxDynamicSharedBytes,
                                       static_cast<int>(limit) - fixed);
  });
}
KILN_SHIM Result hipModuleGetGlobal(void** address, std::size_t* bytes, void* module, const char* name) {
  return in_context([&](const auto& call) {
    cuda_abi::DevicePointer found = 0;
    const cuda_abi::Result result =
        call.module_get_global(&found, bytes, cuda<cuda_abi::Module>(module), name);
    *address = reinterpret_cast<void*>(found);  // NOLINT(performance-no-int-to-ptr)
    return result;
  });
}
KILN_SHIM Result hipModuleLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                       unsigned block_x, unsigned block_y, unsigned block_z,
                                       unsigned shared_bytes, void* stream, void** arguments, void** extra) {
  return in_context([&](const auto& call) {
    return call.launch_kernel(cuda<cuda_abi::Function>(function), grid_x, grid_y, grid_z, block_x, block_y,
                              block_z, shared_bytes, cuda<cuda_abi::Stream>(stream), arguments, extra);
  });
}
KILN_SHIM Result hipModuleLaunchCooperativeKernel(void* function, unsigned grid_x, unsigned grid_y,
                                                  unsigned grid_z, unsigned block_x, unsigned block_y,
                                                  unsigned block_z, unsigned shared_bytes, void* stream,
                                                  void** arguments) {
  return in_context([&](const auto& call) {
    cuda_abi::LaunchAttribute attribute{};
    attribute.id = cuda_abi::LaunchAttribute::Id::kCooperative;
    attribute.value.cooperative = 1;
    const cuda_abi::LaunchConfig config{grid_x,     grid_y,  grid_z,       block_x,
                                        block_y,    block_z, shared_bytes, cuda<cuda_abi::Stream>(stream),
                                        &attribute, 1};
    return call.launch_kernel_ex(&config, cuda<cuda_abi::Function>(function), arguments, nullptr);
  });
}
KILN_SHIM Result hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void* function,
                                                                    int block_size,
                                                                    std::size_t shared_bytes) {
  return in_context([&](const auto& call) {
    return call.max_active_blocks(blocks, cuda<cuda_abi::Function>(function), block_size, shared_bytes);
  });
}
