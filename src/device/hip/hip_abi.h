#pragma once

#include <cstddef>

#include "device/vendor_library.h"

/// The part of the HIP run time's binary interface that Kiln calls, declared by Kiln: building needs no HIP
/// header. It is the same in 5.x, 6.x and 7.x, except for one structure (see kIsaNameOffset).
/// tests/device/hip/hip_abi_test.cpp proves it against hip/hip_runtime_api.h where that is found.
namespace kiln::hip_abi {

using Result = int;
using DeviceNumber = int;
using DevicePointer = void*;

using Stream = struct StreamTag*;
using Event = struct EventTag*;
using Module = struct ModuleTag*;
using Function = struct FunctionTag*;
using Graph = struct GraphTag*;
using GraphInstance = struct GraphInstanceTag*;  // hipGraphExec_t

// Results that Kiln distinguishes.
constexpr Result kSuccess = 0;
constexpr Result kOutOfMemory = 2;
constexpr Result kInvalidConfiguration = 9;
constexpr Result kNoDevice = 100;
constexpr Result kInvalidDevice = 101;
constexpr Result kNoBinaryForGpu = 209;
constexpr Result kEccUncorrectable = 214;
constexpr Result kNotFound = 500;
constexpr Result kIllegalAddress = 700;
constexpr Result kLaunchTimeout = 702;
constexpr Result kAssert = 710;
constexpr Result kLaunchFailure = 719;
constexpr Result kStreamCaptureUnsupported = 900;
constexpr Result kStreamCaptureImplicit = 906;
constexpr Result kStreamCaptureWrongThread = 908;

/// hipDeviceAttribute_t, whose numbers are unchanged since 5.0.
enum class DeviceAttribute : int {
  kCooperativeLaunch = 10,
  kL2Bytes = 19,
  kMaxBlockX = 26,
  kMaxBlockY = 27,
  kMaxBlockZ = 28,
  kMaxGridX = 29,
  kMaxGridY = 30,
  kMaxGridZ = 31,
  kMaxThreadsPerBlock = 56,
  kMaxThreadsPerMultiprocessor = 57,
  kMemoryBusBits = 59,
  kMemoryClockKhz = 60,
  kMultiprocessors = 63,
  kMaxSharedBytes = 74,
  kWarpSize = 87,
};

/// hipStreamCaptureMode, only the value that Kiln uses: other threads may allocate and load during a capture.
enum class CaptureMode : int { kThreadLocal = 1 };

/// hipStreamCaptureStatus
enum class CaptureStatus : int { kNone = 0, kActive = 1, kInvalidated = 2 };

constexpr unsigned kStreamNonBlocking = 1;  // hipStreamNonBlocking
constexpr unsigned kEventDefault = 0;       // hipEventDefault
constexpr unsigned kEventNoTiming = 2;      // hipEventDisableTiming

/// hipDeviceProp_t changed in 6.0, and with it the name of the function that fills it. Of both forms Kiln
/// reads only the ISA's name, which is not an attribute. These are its offsets, and a size that holds either
/// structure.
constexpr std::size_t kIsaNameOffset = 396;        // hipGetDeviceProperties of 5.x
constexpr std::size_t kIsaNameOffsetR0600 = 1160;  // hipGetDevicePropertiesR0600
constexpr std::size_t kIsaNameBytes = 256;
constexpr std::size_t kPropertiesBytes = 8192;

/// Addresses of the run time's functions. The functions below `optional` came with later releases and may be
/// null.
struct Functions : LibraryImports {
  using LibraryImports::LibraryImports;
  Import<Result(unsigned flags)> init = need("hipInit");
  Import<Result(int* version)> runtime_get_version = need("hipRuntimeGetVersion");
  Import<const char*(Result)> get_error_name = need("hipGetErrorName");
  Import<const char*(Result)> get_error_string = need("hipGetErrorString");
  Import<Result(int* count)> get_device_count = need("hipGetDeviceCount");
  Import<Result(DeviceNumber*, int ordinal)> device_get = need("hipDeviceGet");
  Import<Result(char* name, int length, DeviceNumber)> device_get_name = need("hipDeviceGetName");
  Import<Result(std::size_t* bytes, DeviceNumber)> device_total_memory = need("hipDeviceTotalMem");
  Import<Result(char* text, int length, DeviceNumber)> device_get_pci_bus_id = want("hipDeviceGetPCIBusId");
  Import<Result(int* value, DeviceAttribute, int ordinal)> device_get_attribute =
      need("hipDeviceGetAttribute");
  Import<Result(int* ordinal)> get_device = need("hipGetDevice");
  Import<Result(int ordinal)> set_device = need("hipSetDevice");
  Import<Result(std::size_t* free, std::size_t* total)> memory_get_info = need("hipMemGetInfo");
  Import<Result(DevicePointer* address, std::size_t bytes)> memory_allocate = need("hipMalloc");
  Import<Result(DevicePointer address)> memory_free = need("hipFree");
  Import<Result(void** address, std::size_t bytes, unsigned flags)> host_allocate = need("hipHostMalloc");
  Import<Result(void* address)> host_free = need("hipHostFree");
  Import<Result(DevicePointer to, const void* from, std::size_t bytes, Stream)> copy_to_device =
      need("hipMemcpyHtoDAsync");
  Import<Result(void* to, const void* from, std::size_t bytes, Stream)> copy_to_host =
      need("hipMemcpyDtoHAsync");
  Import<Result(DevicePointer to, const void* from, std::size_t bytes, Stream)> copy_on_device =
      need("hipMemcpyDtoDAsync");
  Import<Result(DevicePointer to, int to_device, const void* from, int from_device, std::size_t bytes,
                Stream)>
      copy_from_peer = need("hipMemcpyPeerAsync");
  Import<Result(int peer, unsigned flags)> enable_peer_access = need("hipDeviceEnablePeerAccess");
  Import<Result(DevicePointer address, unsigned char value, std::size_t bytes, Stream)> fill_bytes =
      need("hipMemsetD8Async");
  Import<Result(Stream*, unsigned flags)> stream_create = need("hipStreamCreateWithFlags");
  Import<Result(Stream)> stream_destroy = need("hipStreamDestroy");
  Import<Result(Stream)> stream_synchronize = need("hipStreamSynchronize");
  Import<Result(Stream, Event, unsigned flags)> stream_wait_event = need("hipStreamWaitEvent");
  Import<Result(Stream, CaptureStatus*)> stream_is_capturing = need("hipStreamIsCapturing");
  Import<Result(Stream, CaptureMode)> begin_capture = need("hipStreamBeginCapture");
  Import<Result(Stream, Graph*)> end_capture = need("hipStreamEndCapture");
  Import<Result(Graph)> graph_destroy = need("hipGraphDestroy");
  Import<Result(GraphInstance)> graph_instance_destroy = need("hipGraphExecDestroy");
  Import<Result(GraphInstance, Stream)> graph_launch = need("hipGraphLaunch");
  Import<Result(Event*, unsigned flags)> event_create = need("hipEventCreateWithFlags");
  Import<Result(Event)> event_destroy = need("hipEventDestroy");
  Import<Result(Event, Stream)> event_record = need("hipEventRecord");
  Import<Result(float* milliseconds, Event start, Event end)> event_elapsed = need("hipEventElapsedTime");
  Import<Result(Module*, const void* image)> module_load = need("hipModuleLoadData");
  Import<Result(Module)> module_unload = need("hipModuleUnload");
  Import<Result(Function*, Module, const char* name)> module_get_function = need("hipModuleGetFunction");
  Import<Result(DevicePointer* address, std::size_t* bytes, Module, const char* name)> module_get_global =
      need("hipModuleGetGlobal");
  Import<Result(Function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                unsigned block_y, unsigned block_z, unsigned shared_bytes, Stream, void** arguments,
                void** extra)>
      launch_kernel = need("hipModuleLaunchKernel");
  Import<Result(int* blocks, Function, int block_size, std::size_t shared_bytes)> max_active_blocks =
      need("hipModuleOccupancyMaxActiveBlocksPerMultiprocessor");

  // optional
  Import<Result(GraphInstance*, Graph, unsigned long long flags)> graph_instantiate =
      want("hipGraphInstantiateWithFlags");
  Import<Result(Function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                unsigned block_y, unsigned block_z, unsigned shared_bytes, Stream, void** arguments)>
      launch_cooperative_kernel = want("hipModuleLaunchCooperativeKernel");
  Import<Result(void* properties, int ordinal)> get_device_properties_r0600 =
      want("hipGetDevicePropertiesR0600");
  /// A library with the newer function may lack the older one, or have either layout in it.
  Import<Result(void* properties, int ordinal)> get_device_properties = get_device_properties_r0600 != nullptr
                                                                            ? want("hipGetDeviceProperties")
                                                                            : need("hipGetDeviceProperties");
};

}  // namespace kiln::hip_abi
