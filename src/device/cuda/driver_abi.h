#pragma once

#include <cstddef>
#include <cstdint>

#include "device/vendor_library.h"

/// The part of the CUDA driver's binary interface that Kiln calls, declared by Kiln: building needs no CUDA
/// header. tests/device/cuda/driver_abi_test.cpp proves it against cuda.h where that is found.
namespace kiln::cuda_abi {

using Result = int;
using DeviceNumber = int;
using DevicePointer = unsigned long long;

using Context = struct ContextTag*;
using Stream = struct StreamTag*;
using Event = struct EventTag*;
using Module = struct ModuleTag*;
using Library = struct LibraryTag*;
using Kernel = struct KernelTag*;
using Function = struct FunctionTag*;
using Graph = struct GraphTag*;
using GraphInstance = struct GraphInstanceTag*;  // CUgraphExec

/// CUlaunchAttribute, for the three that Kiln uses.
struct LaunchAttribute {
  enum class Id : int { kCooperative = 2, kClusterDimension = 4, kProgrammaticSerialization = 6 };
  union Value {
    char pad[64];
    int cooperative;
    int programmatic_serialization;
    struct {
      unsigned x, y, z;
    } cluster;
  };
  Id id;
  char pad[4];
  Value value;
};

/// CUlaunchConfig
struct LaunchConfig {
  unsigned grid_x, grid_y, grid_z;
  unsigned block_x, block_y, block_z;
  unsigned shared_bytes;
  Stream stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

/// The legacy default stream, CU_STREAM_LEGACY.
// NOLINTNEXTLINE(performance-no-int-to-ptr): the driver's own way to say it
inline const Stream kLegacyStream = reinterpret_cast<Stream>(1);

// Results that Kiln distinguishes.
constexpr Result kSuccess = 0;
constexpr Result kInvalidValue = 1;
constexpr Result kOutOfMemory = 2;
constexpr Result kDeinitialized = 4;
constexpr Result kNoDevice = 100;
constexpr Result kNoBinaryForGpu = 209;
constexpr Result kEccUncorrectable = 214;
constexpr Result kInvalidPtx = 218;
constexpr Result kUnsupportedPtxVersion = 222;
constexpr Result kContained = 226;
constexpr Result kNotFound = 500;
constexpr Result kIllegalAddress = 700;
constexpr Result kLaunchTimeout = 702;
constexpr Result kAssert = 710;
constexpr Result kHardwareStackError = 714;
constexpr Result kIllegalInstruction = 715;
constexpr Result kMisalignedAddress = 716;
constexpr Result kInvalidAddressSpace = 717;
constexpr Result kInvalidPc = 718;
constexpr Result kLaunchFailed = 719;
constexpr Result kTensorMemoryLeak = 721;
constexpr Result kMpsClientTerminated = 810;
constexpr Result kStreamCaptureUnsupported = 900;
constexpr Result kStreamCaptureInvalidated = 901;
constexpr Result kStreamCaptureImplicit = 906;
constexpr Result kStreamCaptureWrongThread = 908;
constexpr Result kExternalDevice = 911;

/// CUdevice_attribute
enum class DeviceAttribute : int {
  kMaxThreadsPerBlock = 1,
  kMaxBlockX = 2,
  kMaxBlockY = 3,
  kMaxBlockZ = 4,
  kMaxGridX = 5,
  kMaxGridY = 6,
  kMaxGridZ = 7,
  kMultiprocessors = 16,
  kMemoryClockKhz = 36,
  kMemoryBusBits = 37,
  kL2Bytes = 38,
  kMaxThreadsPerMultiprocessor = 39,
  kCapabilityMajor = 75,
  kCapabilityMinor = 76,
  kCooperativeLaunch = 95,
  kMaxSharedBytesOptIn = 97,
  kClusterLaunch = 120,
};

/// CUfunction_attribute
enum class FunctionAttribute : int {
  kMaxThreadsPerBlock = 0,
  kStaticSharedBytes = 1,
  kLocalBytes = 3,
  kRegisters = 4,
  kMaxDynamicSharedBytes = 8,
  kNonPortableClusterSizeAllowed = 14,
};

/// CUtensorMapDataType
enum class TensorMapElement : int {
  kU8 = 0,
  kU16 = 1,
  kU32 = 2,
  kI32 = 3,
  kU64 = 4,
  kI64 = 5,
  kF16 = 6,
  kF32 = 7,
  kF64 = 8,
  kBf16 = 9,
};

/// CUresourcetype, for the two that Kiln uses.
enum class ResourceType : int { kLinear = 2, kPitch2D = 3 };

/// CUDA_RESOURCE_DESC
struct ResourceDescription {
  ResourceType type;
  union {
    struct {
      DevicePointer address;
      unsigned format;  // CUarray_format
      unsigned channels;
      std::size_t bytes;
    } linear;
    struct {
      DevicePointer address;
      unsigned format;
      unsigned channels;
      std::size_t width, height, pitch;
    } pitch_2d;
    int reserved[32];
  } resource;
  unsigned flags;
};

/// CUDA_TEXTURE_DESC
struct TextureDescription {
  unsigned address_modes[3];  // CUaddress_mode
  int filter;                 // CUfilter_mode
  unsigned flags;
  unsigned max_anisotropy;
  int mipmap_filter;
  float mipmap_bias, mipmap_least, mipmap_most;
  float border[4];
  int reserved[12];
};

using TextureObject = unsigned long long;
constexpr unsigned kReadAsInteger = 1;          // CU_TRSF_READ_AS_INTEGER
constexpr unsigned kNormalizedCoordinates = 2;  // CU_TRSF_NORMALIZED_COORDINATES

/// CUstreamCaptureMode, only the value that Kiln uses: other threads may allocate and load during a capture.
enum class CaptureMode : int { kThreadLocal = 1 };

/// CUstreamCaptureStatus
enum class CaptureStatus : int { kNone = 0, kActive = 1, kInvalidated = 2 };

constexpr unsigned kStreamNonBlocking = 1;  // CU_STREAM_NON_BLOCKING
constexpr unsigned kEventDefault = 0;       // CU_EVENT_DEFAULT
constexpr unsigned kEventNoTiming = 2;      // CU_EVENT_DISABLE_TIMING

/// Addresses of the driver's functions. The functions below `optional` came after CUDA 11.0 and may be null.
struct Functions : LibraryImports {
  using LibraryImports::LibraryImports;
  Import<Result(unsigned flags)> init = need("cuInit");
  Import<Result(int* version)> driver_get_version = need("cuDriverGetVersion");
  Import<Result(Result, const char** text)> get_error_name = need("cuGetErrorName");
  Import<Result(Result, const char** text)> get_error_string = need("cuGetErrorString");
  Import<Result(DeviceNumber*, int ordinal)> device_get = need("cuDeviceGet");
  Import<Result(int* count)> device_get_count = need("cuDeviceGetCount");
  Import<Result(char* name, int length, DeviceNumber)> device_get_name = need("cuDeviceGetName");
  Import<Result(std::size_t* bytes, DeviceNumber)> device_total_memory = need("cuDeviceTotalMem_v2");
  Import<Result(int* value, DeviceAttribute, DeviceNumber)> device_get_attribute =
      need("cuDeviceGetAttribute");
  Import<Result(Context*, DeviceNumber)> primary_context_retain = need("cuDevicePrimaryCtxRetain");
  Import<Result(DeviceNumber)> primary_context_release = need("cuDevicePrimaryCtxRelease_v2");
  Import<Result(Context*)> context_get_current = need("cuCtxGetCurrent");
  Import<Result(Context)> context_push = need("cuCtxPushCurrent_v2");
  Import<Result(Context*)> context_pop = need("cuCtxPopCurrent_v2");
  Import<Result(std::size_t* free, std::size_t* total)> memory_get_info = need("cuMemGetInfo_v2");
  Import<Result(DevicePointer* address, std::size_t bytes)> memory_allocate = need("cuMemAlloc_v2");
  Import<Result(DevicePointer address)> memory_free = need("cuMemFree_v2");
  Import<Result(void** address, std::size_t bytes, unsigned flags)> host_allocate = need("cuMemHostAlloc");
  Import<Result(void* address)> host_free = need("cuMemFreeHost");
  Import<Result(DevicePointer to, const void* from, std::size_t bytes, Stream)> copy_to_device =
      need("cuMemcpyHtoDAsync_v2");
  Import<Result(void* to, DevicePointer from, std::size_t bytes, Stream)> copy_to_host =
      need("cuMemcpyDtoHAsync_v2");
  Import<Result(DevicePointer to, DevicePointer from, std::size_t bytes, Stream)> copy_on_device =
      need("cuMemcpyDtoDAsync_v2");
  Import<Result(DevicePointer to, Context to_context, DevicePointer from, Context from_context,
                std::size_t bytes, Stream)>
      copy_from_peer = need("cuMemcpyPeerAsync");
  Import<Result(Context peer, unsigned flags)> enable_peer_access = need("cuCtxEnablePeerAccess");
  Import<Result(DevicePointer address, unsigned char value, std::size_t bytes, Stream)> fill_bytes =
      need("cuMemsetD8Async");
  Import<Result(Stream*, unsigned flags)> stream_create = need("cuStreamCreate");
  Import<Result(Stream)> stream_destroy = need("cuStreamDestroy_v2");
  Import<Result(Stream)> stream_synchronize = need("cuStreamSynchronize");
  Import<Result(Stream, Event, unsigned flags)> stream_wait_event = need("cuStreamWaitEvent");
  Import<Result(Stream, CaptureStatus*)> stream_is_capturing = need("cuStreamIsCapturing");
  Import<Result(Stream, CaptureMode)> begin_capture = need("cuStreamBeginCapture_v2");
  Import<Result(Stream, Graph*)> end_capture = need("cuStreamEndCapture");
  Import<Result(Graph)> graph_destroy = need("cuGraphDestroy");
  Import<Result(GraphInstance)> graph_instance_destroy = need("cuGraphExecDestroy");
  Import<Result(GraphInstance, Stream)> graph_launch = need("cuGraphLaunch");
  Import<Result(Event*, unsigned flags)> event_create = need("cuEventCreate");
  Import<Result(Event)> event_destroy = need("cuEventDestroy_v2");
  Import<Result(Event, Stream)> event_record = need("cuEventRecord");
  Import<Result(Event)> event_synchronize = need("cuEventSynchronize");
  Import<Result(float* milliseconds, Event start, Event end)> event_elapsed = need("cuEventElapsedTime");
  Import<Result(Module*, const void* image, unsigned count, int* options, void** values)> module_load =
      need("cuModuleLoadDataEx");
  Import<Result(Module)> module_unload = need("cuModuleUnload");
  Import<Result(Function*, Module, const char* name)> module_get_function = need("cuModuleGetFunction");
  Import<Result(DevicePointer* address, std::size_t* bytes, Module, const char* name)> module_get_global =
      need("cuModuleGetGlobal_v2");
  Import<Result(int* value, FunctionAttribute, Function)> function_get_attribute = need("cuFuncGetAttribute");
  Import<Result(Function, FunctionAttribute, int value)> function_set_attribute = need("cuFuncSetAttribute");
  Import<Result(Function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                unsigned block_y, unsigned block_z, unsigned shared_bytes, Stream, void** arguments,
                void** extra)>
      launch_kernel = need("cuLaunchKernel");
  Import<Result(int* blocks, Function, int block_size, std::size_t shared_bytes)> max_active_blocks =
      need("cuOccupancyMaxActiveBlocksPerMultiprocessor");
  Import<Result(TextureObject*, const ResourceDescription*, const TextureDescription*, const void* view)>
      texture_create = need("cuTexObjectCreate");
  Import<Result(TextureObject)> texture_destroy = need("cuTexObjectDestroy");
  Import<Result(char* text, int length, DeviceNumber)> device_get_pci_bus_id = need("cuDeviceGetPCIBusId");

  // optional
  Import<Result(GraphInstance*, Graph, unsigned long long flags)> graph_instantiate =
      want("cuGraphInstantiateWithFlags");
  Import<Result(Library*, const void* image, int* jit_options, void** jit_values, unsigned jit_count,
                int* options, void** values, unsigned count)>
      library_load = want("cuLibraryLoadData");
  Import<Result(Library)> library_unload = want("cuLibraryUnload");
  Import<Result(Module*, Library)> library_get_module = want("cuLibraryGetModule");
  Import<Result(Kernel*, Library, const char* name)> library_get_kernel = want("cuLibraryGetKernel");
  Import<Result(DevicePointer* address, std::size_t* bytes, Library, const char* name)> library_get_global =
      want("cuLibraryGetGlobal");
  Import<Result(Function*, Kernel)> kernel_get_function = want("cuKernelGetFunction");
  Import<Result(Function)> function_load = want("cuFuncLoad");
  Import<Result(Function, std::size_t index, std::size_t* offset, std::size_t* bytes)>
      function_get_parameter = want("cuFuncGetParamInfo");
  Import<Result(const LaunchConfig* config, Function, void** arguments, void** extra)> launch_kernel_ex =
      want("cuLaunchKernelEx");
  Import<Result(int* clusters, Function, const LaunchConfig* config)> max_active_clusters =
      want("cuOccupancyMaxActiveClusters");
  Import<Result(void* map, int element, unsigned rank, void* address, const std::uint64_t* extents,
                const std::uint64_t* strides, const std::uint32_t* box, const std::uint32_t* element_strides,
                int interleave, int swizzle, int l2_promotion, int fill)>
      tensor_map_encode_tiled = want("cuTensorMapEncodeTiled");
};

}  // namespace kiln::cuda_abi
