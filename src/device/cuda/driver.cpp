#include "device/cuda/driver.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "device/fault.h"
#include "device/vendor_library.h"
#include "kiln/error.h"

namespace kiln {
namespace {

constexpr const char* kInstall =
    "; install NVIDIA's driver (https://www.nvidia.com/drivers, on Ubuntu: ubuntu-drivers install)";

/// Binds every function; the name of the first required one that is missing, or null.
const char* bind_all(const VendorLibrary& library, cuda_abi::Functions& call) {
  const char* missing = nullptr;
  const auto need = [&](auto& function, const char* name) {
    if (!bind_symbol(library, function, name) && missing == nullptr) missing = name;
  };
  const auto want = [&](auto& function, const char* name) { bind_symbol(library, function, name); };
  need(call.init, "cuInit");
  need(call.driver_get_version, "cuDriverGetVersion");
  need(call.get_error_name, "cuGetErrorName");
  need(call.get_error_string, "cuGetErrorString");
  need(call.device_get, "cuDeviceGet");
  need(call.device_get_count, "cuDeviceGetCount");
  need(call.device_get_name, "cuDeviceGetName");
  need(call.device_total_memory, "cuDeviceTotalMem_v2");
  need(call.device_get_attribute, "cuDeviceGetAttribute");
  need(call.primary_context_retain, "cuDevicePrimaryCtxRetain");
  need(call.primary_context_release, "cuDevicePrimaryCtxRelease_v2");
  need(call.context_get_current, "cuCtxGetCurrent");
  need(call.context_push, "cuCtxPushCurrent_v2");
  need(call.context_pop, "cuCtxPopCurrent_v2");
  need(call.memory_get_info, "cuMemGetInfo_v2");
  need(call.memory_allocate, "cuMemAlloc_v2");
  need(call.memory_free, "cuMemFree_v2");
  need(call.host_allocate, "cuMemHostAlloc");
  need(call.host_free, "cuMemFreeHost");
  need(call.copy_to_device, "cuMemcpyHtoDAsync_v2");
  need(call.copy_to_host, "cuMemcpyDtoHAsync_v2");
  need(call.copy_on_device, "cuMemcpyDtoDAsync_v2");
  need(call.copy_from_peer, "cuMemcpyPeerAsync");
  need(call.enable_peer_access, "cuCtxEnablePeerAccess");
  need(call.fill_bytes, "cuMemsetD8Async");
  need(call.stream_create, "cuStreamCreate");
  need(call.stream_destroy, "cuStreamDestroy_v2");
  need(call.stream_synchronize, "cuStreamSynchronize");
  need(call.stream_wait_event, "cuStreamWaitEvent");
  need(call.stream_is_capturing, "cuStreamIsCapturing");
  need(call.begin_capture, "cuStreamBeginCapture_v2");
  need(call.end_capture, "cuStreamEndCapture");
  need(call.graph_destroy, "cuGraphDestroy");
  need(call.graph_instance_destroy, "cuGraphExecDestroy");
  need(call.graph_launch, "cuGraphLaunch");
  need(call.event_create, "cuEventCreate");
  need(call.event_destroy, "cuEventDestroy_v2");
  need(call.event_record, "cuEventRecord");
  need(call.event_synchronize, "cuEventSynchronize");
  need(call.event_elapsed, "cuEventElapsedTime");
  need(call.module_load, "cuModuleLoadDataEx");
  need(call.module_unload, "cuModuleUnload");
  need(call.module_get_function, "cuModuleGetFunction");
  need(call.module_get_global, "cuModuleGetGlobal_v2");
  need(call.function_get_attribute, "cuFuncGetAttribute");
  need(call.function_set_attribute, "cuFuncSetAttribute");
  need(call.launch_kernel, "cuLaunchKernel");
  need(call.max_active_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  need(call.device_get_pci_bus_id, "cuDeviceGetPCIBusId");
  want(call.graph_instantiate, "cuGraphInstantiateWithFlags");
  want(call.library_load, "cuLibraryLoadData");
  want(call.library_unload, "cuLibraryUnload");
  want(call.library_get_module, "cuLibraryGetModule");
  want(call.library_get_kernel, "cuLibraryGetKernel");
  want(call.library_get_global, "cuLibraryGetGlobal");
  want(call.kernel_get_function, "cuKernelGetFunction");
  want(call.function_load, "cuFuncLoad");
  want(call.function_get_parameter, "cuFuncGetParamInfo");
  want(call.launch_kernel_ex, "cuLaunchKernelEx");
  want(call.max_active_clusters, "cuOccupancyMaxActiveClusters");
  want(call.tensor_map_encode_tiled, "cuTensorMapEncodeTiled");
  return missing;
}

/// "580.159.04" from "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Tue ...": the first word
/// with two dots or one that starts with a digit.
std::string kernel_module_release(FileSystem& files) {
  const std::string text = files.read_file("/proc/driver/nvidia/version").value_or("");
  const std::string line = split(text, '\n').front();
  for (const std::string& word : split(line, ' ')) {
    const bool number = !word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) != 0;
    if (number && word.find('.') != std::string::npos) return word;
  }
  return "";
}

VendorLibrary open_driver_library(const CudaPlaces& places, FileSystem& files) {
  LibrarySearch search;
  search.names = {"libcuda.so.1"};
  for (const std::string& folder : places.library_path) search.folders.emplace_back(folder);
  search.folders.emplace_back("/usr/lib/wsl/lib");  // the driver that Windows lends: not in the loader's path
  return open_library(search, files);
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

std::string CudaDriver::description() const {
  const std::string cuda = "CUDA " + version_text(cuda_version);
  return release.empty() ? cuda : release + ", " + cuda;
}

void start_cuda_driver(const CudaPlaces& places, FileSystem& files, int ordinal) {
  cuda_abi::Functions call{};
  const VendorLibrary library = open_driver_library(places, files);
  if (library.handle == nullptr || bind_all(library, call) != nullptr) return;
  cuda_abi::DeviceNumber device = 0;
  cuda_abi::Context context = nullptr;
  if (call.init(0) != cuda_abi::kSuccess || call.device_get(&device, ordinal) != cuda_abi::kSuccess) return;
  static_cast<void>(call.primary_context_retain(&context, device));
}

OpenedLibrary<CudaDriver> open_cuda_driver(const CudaPlaces& places, FileSystem& files) {
  const VendorLibrary library = open_driver_library(places, files);
  if (library.handle == nullptr) return {nullptr, "no NVIDIA driver: " + library.problem + kInstall};

  const auto driver = std::make_shared<CudaDriver>();
  driver->path = library.path;
  if (const char* missing = bind_all(library, driver->call)) {
    return {nullptr, "the NVIDIA driver in " + library.path + " is too old: it has no " + missing +
                         "; Kiln needs the driver of CUDA 11 or later"};
  }
  if (const cuda_abi::Result result = driver->call.init(0); result != cuda_abi::kSuccess) {
    return {nullptr, "the NVIDIA driver in " + library.path + " does not start: " +
                         describe_result(*driver, result) + "; see what nvidia-smi says"};
  }
  driver->call.driver_get_version(&driver->cuda_version);
  driver->release = kernel_module_release(files);
  return {driver, ""};
}

std::string describe_result(const CudaDriver& driver, cuda_abi::Result result) {
  const char* name = nullptr;
  const char* words = nullptr;
  driver.call.get_error_name(result, &name);
  driver.call.get_error_string(result, &words);
  std::string text = name != nullptr ? name : "CUDA error";
  text += " (" + std::to_string(result) + ")";
  if (words != nullptr) text += std::string(": ") + words;
  return text;
}

bool is_sticky(cuda_abi::Result result) {
  constexpr cuda_abi::Result kSticky[] = {cuda_abi::kEccUncorrectable,    cuda_abi::kIllegalAddress,
                                          cuda_abi::kLaunchTimeout,       cuda_abi::kAssert,
                                          cuda_abi::kHardwareStackError,  cuda_abi::kIllegalInstruction,
                                          cuda_abi::kMisalignedAddress,   cuda_abi::kInvalidAddressSpace,
                                          cuda_abi::kInvalidPc,           cuda_abi::kLaunchFailed,
                                          cuda_abi::kContained,           cuda_abi::kTensorMemoryLeak,
                                          cuda_abi::kMpsClientTerminated, cuda_abi::kExternalDevice};
  return std::find(std::begin(kSticky), std::end(kSticky), result) != std::end(kSticky);
}

void throw_cuda_error(const CudaDriver& driver, cuda_abi::Result result, const char* call,
                      const std::string& context) {
  std::string message = describe_result(driver, result) + ", in " + call;
  if (!context.empty()) message += ", " + context;
  if (is_sticky(result)) throw device_lost(message);
  if (result >= cuda_abi::kStreamCaptureUnsupported && result <= cuda_abi::kStreamCaptureWrongThread) {
    throw bad_input(message +
                    "; while a stream is captured into a graph, Kiln can launch on it, but neither "
                    "load, allocate nor copy: get the kernel before the capture begins");
  }
  throw environment_error(message);
}

}  // namespace kiln
