#include "device/hip/hip_runtime.h"

#include <algorithm>

#include "base/text.h"
#include "device/fault.h"
#include "device/vendor_library.h"
#include "kiln/error.h"

namespace kiln {
namespace {

constexpr const char* kInstall =
    "; install ROCm (https://rocm.docs.amd.com; on Debian and Ubuntu: apt-get install libamdhip64-5), or "
    "name the "
    "library with KILN_HIP";

/// Binds every function; the name of the first required one that is missing, or null.
const char* bind_all(const VendorLibrary& library, hip_abi::Functions& call) {
  const char* missing = nullptr;
  const auto need = [&](auto& function, const char* name) {
    if (!bind_symbol(library, function, name) && missing == nullptr) missing = name;
  };
  need(call.init, "hipInit");
  need(call.runtime_get_version, "hipRuntimeGetVersion");
  need(call.get_error_name, "hipGetErrorName");
  need(call.get_error_string, "hipGetErrorString");
  need(call.get_device_count, "hipGetDeviceCount");
  need(call.device_get, "hipDeviceGet");
  need(call.device_get_name, "hipDeviceGetName");
  need(call.device_total_memory, "hipDeviceTotalMem");
  need(call.device_get_attribute, "hipDeviceGetAttribute");
  need(call.get_device, "hipGetDevice");
  need(call.set_device, "hipSetDevice");
  need(call.memory_get_info, "hipMemGetInfo");
  need(call.memory_allocate, "hipMalloc");
  need(call.memory_free, "hipFree");
  need(call.host_allocate, "hipHostMalloc");
  need(call.host_free, "hipHostFree");
  need(call.copy_to_device, "hipMemcpyHtoDAsync");
  need(call.copy_to_host, "hipMemcpyDtoHAsync");
  need(call.copy_on_device, "hipMemcpyDtoDAsync");
  need(call.copy_from_peer, "hipMemcpyPeerAsync");
  need(call.enable_peer_access, "hipDeviceEnablePeerAccess");
  need(call.fill_bytes, "hipMemsetD8Async");
  need(call.stream_create, "hipStreamCreateWithFlags");
  need(call.stream_destroy, "hipStreamDestroy");
  need(call.stream_synchronize, "hipStreamSynchronize");
  need(call.stream_wait_event, "hipStreamWaitEvent");
  need(call.begin_capture, "hipStreamBeginCapture");
  need(call.end_capture, "hipStreamEndCapture");
  need(call.graph_destroy, "hipGraphDestroy");
  need(call.graph_instance_destroy, "hipGraphExecDestroy");
  need(call.graph_launch, "hipGraphLaunch");
  need(call.stream_is_capturing, "hipStreamIsCapturing");
  need(call.event_create, "hipEventCreateWithFlags");
  need(call.event_destroy, "hipEventDestroy");
  need(call.event_record, "hipEventRecord");
  need(call.event_elapsed, "hipEventElapsedTime");
  need(call.module_load, "hipModuleLoadData");
  need(call.module_unload, "hipModuleUnload");
  need(call.module_get_function, "hipModuleGetFunction");
  need(call.module_get_global, "hipModuleGetGlobal");
  need(call.launch_kernel, "hipModuleLaunchKernel");
  need(call.max_active_blocks, "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor");
  bind_symbol(library, call.graph_instantiate, "hipGraphInstantiateWithFlags");
  bind_symbol(library, call.launch_cooperative_kernel, "hipModuleLaunchCooperativeKernel");
  // Where the newer one is, the older may be gone, and may have either layout.
  if (!bind_symbol(library, call.get_device_properties_r0600, "hipGetDevicePropertiesR0600")) {
    need(call.get_device_properties, "hipGetDeviceProperties");
  }
  return missing;
}

/// 50221153 is 5.2.21153.
std::string version_text(int version) {
  return std::to_string(version / 10'000'000) + "." + std::to_string(version % 10'000'000 / 100'000) + "." +
         std::to_string(version % 100'000);
}

/// The error has ended the process's work on the device.
bool is_sticky(hip_abi::Result result) {
  constexpr hip_abi::Result kSticky[] = {hip_abi::kEccUncorrectable, hip_abi::kIllegalAddress,
                                         hip_abi::kLaunchTimeout, hip_abi::kAssert, hip_abi::kLaunchFailure};
  return std::find(std::begin(kSticky), std::end(kSticky), result) != std::end(kSticky);
}

}  // namespace

std::string HipRuntime::description() const {
  return release.empty() ? "HIP " + version : "amdgpu " + release + ", HIP " + version;
}

OpenedLibrary<HipRuntime> open_hip_runtime(const HipPlaces& places, FileSystem& files) {
  LibrarySearch search;
  search.explicit_path = places.hip;
  search.names = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
  search.folders = hip_library_folders(places, files);
  const VendorLibrary library = open_library(search, files);
  if (library.handle == nullptr) return {nullptr, "no HIP run time: " + library.problem + kInstall};

  const auto runtime = std::make_shared<HipRuntime>();
  runtime->path = library.path;
  if (const char* missing = bind_all(library, runtime->call)) {
    return {nullptr, "the HIP run time in " + library.path + " cannot be used: it has no " + missing +
                         "; Kiln needs 5.0 or later"};
  }
  int version = 0;
  runtime->call.runtime_get_version(&version);
  runtime->version = version_text(version);
  runtime->release = std::string(trim(files.read_file("/sys/module/amdgpu/version").value_or("")));
  const hip_abi::Result result = runtime->call.init(0);
  // Without a device some releases refuse to start; the back end says that there is none.
  if (result != hip_abi::kSuccess && result != hip_abi::kNoDevice && result != hip_abi::kInvalidDevice) {
    return {nullptr, "the HIP run time in " + library.path + " does not start: " +
                         describe_result(*runtime, result) + "; see what rocminfo says"};
  }
  return {runtime, ""};
}

std::string describe_result(const HipRuntime& runtime, hip_abi::Result result) {
  const char* name = runtime.call.get_error_name(result);
  const char* words = runtime.call.get_error_string(result);
  std::string text = name != nullptr ? name : "HIP error";
  text += " (" + std::to_string(result) + ")";
  // Old releases give the name for both.
  if (words != nullptr && (name == nullptr || std::string_view(words) != name))
    text += std::string(": ") + words;
  return text;
}

void throw_hip_error(const HipRuntime& runtime, hip_abi::Result result, const char* call,
                     const std::string& context) {
  std::string message = describe_result(runtime, result) + ", in " + call;
  if (!context.empty()) message += ", " + context;
  if (is_sticky(result)) throw device_lost(message);
  if (result >= hip_abi::kStreamCaptureUnsupported && result <= hip_abi::kStreamCaptureWrongThread) {
    throw bad_input(message +
                    "; while a stream is captured into a graph, Kiln can launch on it, but neither "
                    "load, allocate nor copy: get the kernel before the capture begins");
  }
  throw environment_error(message);
}

}  // namespace kiln
