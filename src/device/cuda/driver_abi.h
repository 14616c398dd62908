#pragma once

#include <cstddef>
#include <cstdint>

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

/// CUlaunchAttribute, for the two that Kiln uses.
struct LaunchAttribute {
  enum class Id : int { kCooperative = 2, kClusterDimension = 4 };
  union Value {
    char pad[64];
    int cooperative;
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

// Results that Kiln tells apart.
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

/// CUstreamCaptureMode, for the one that Kiln uses: other threads may allocate and load meanwhile.
enum class CaptureMode : int { kThreadLocal = 1 };

/// CUstreamCaptureStatus
enum class CaptureStatus : int { kNone = 0, kActive = 1, kInvalidated = 2 };

constexpr unsigned kStreamNonBlocking = 1;  // CU_STREAM_NON_BLOCKING
constexpr unsigned kEventDefault = 0;       // CU_EVENT_DEFAULT
constexpr unsigned kEventNoTiming = 2;      // CU_EVENT_DISABLE_TIMING

/// Addresses of the driver's functions. Those after `optional` came after CUDA 11.0 and may be null.
struct Functions {
  Result (*init)(unsigned flags);
  Result (*driver_get_version)(int* version);
  Result (*get_error_name)(Result error, const char** text);
  Result (*get_error_string)(Result error, const char** text);
  Result (*device_get)(DeviceNumber* device, int ordinal);
  Result (*device_get_count)(int* count);
  Result (*device_get_name)(char* name, int length, DeviceNumber device);
  Result (*device_total_memory)(std::size_t* bytes, DeviceNumber device);
  Result (*device_get_attribute)(int* value, DeviceAttribute attribute, DeviceNumber device);
  Result (*primary_context_retain)(Context* context, DeviceNumber device);
  Result (*primary_context_release)(DeviceNumber device);
  Result (*context_get_current)(Context* context);
  Result (*context_push)(Context context);
  Result (*context_pop)(Context* context);
  Result (*memory_get_info)(std::size_t* free, std::size_t* total);
  Result (*memory_allocate)(DevicePointer* address, std::size_t bytes);
  Result (*memory_free)(DevicePointer address);
  Result (*host_allocate)(void** address, std::size_t bytes, unsigned flags);
  Result (*host_free)(void* address);
  Result (*copy_to_device)(DevicePointer to, const void* from, std::size_t bytes, Stream stream);
  Result (*copy_to_host)(void* to, DevicePointer from, std::size_t bytes, Stream stream);
  Result (*copy_on_device)(DevicePointer to, DevicePointer from, std::size_t bytes, Stream stream);
  Result (*copy_from_peer)(DevicePointer to, Context to_context, DevicePointer from, Context from_context,
                           std::size_t bytes, Stream stream);
  Result (*enable_peer_access)(Context peer, unsigned flags);
  Result (*fill_bytes)(DevicePointer address, unsigned char value, std::size_t bytes, Stream stream);
  Result (*stream_create)(Stream* stream, unsigned flags);
  Result (*stream_destroy)(Stream stream);
  Result (*stream_synchronize)(Stream stream);
  Result (*stream_wait_event)(Stream stream, Event event, unsigned flags);
  Result (*stream_is_capturing)(Stream stream, CaptureStatus* status);
  Result (*begin_capture)(Stream stream, CaptureMode mode);
  Result (*end_capture)(Stream stream, Graph* graph);
  Result (*graph_destroy)(Graph graph);
  Result (*graph_instance_destroy)(GraphInstance instance);
  Result (*graph_launch)(GraphInstance instance, Stream stream);
  Result (*event_create)(Event* event, unsigned flags);
  Result (*event_destroy)(Event event);
  Result (*event_record)(Event event, Stream stream);
  Result (*event_synchronize)(Event event);
  Result (*event_elapsed)(float* milliseconds, Event start, Event end);
  Result (*module_load)(Module* module, const void* image, unsigned count, int* options, void** values);
  Result (*module_unload)(Module module);
  Result (*module_get_function)(Function* function, Module module, const char* name);
  Result (*module_get_global)(DevicePointer* address, std::size_t* bytes, Module module, const char* name);
  Result (*function_get_attribute)(int* value, FunctionAttribute attribute, Function function);
  Result (*function_set_attribute)(Function function, FunctionAttribute attribute, int value);
  Result (*launch_kernel)(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                          unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                          Stream stream, void** arguments, void** extra);
  Result (*max_active_blocks)(int* blocks, Function function, int block_size, std::size_t shared_bytes);
  Result (*device_get_pci_bus_id)(char* text, int length, DeviceNumber device);

  // optional
  Result (*graph_instantiate)(GraphInstance* instance, Graph graph, unsigned long long flags);
  Result (*library_load)(Library* library, const void* image, int* jit_options, void** jit_values,
                         unsigned jit_count, int* options, void** values, unsigned count);
  Result (*library_unload)(Library library);
  Result (*library_get_module)(Module* module, Library library);
  Result (*library_get_kernel)(Kernel* kernel, Library library, const char* name);
  Result (*library_get_global)(DevicePointer* address, std::size_t* bytes, Library library, const char* name);
  Result (*kernel_get_function)(Function* function, Kernel kernel);
  Result (*function_load)(Function function);
  Result (*function_get_parameter)(Function function, std::size_t index, std::size_t* offset,
                                   std::size_t* bytes);
  Result (*launch_kernel_ex)(const LaunchConfig* config, Function function, void** arguments, void** extra);
  Result (*max_active_clusters)(int* clusters, Function function, const LaunchConfig* config);
  Result (*tensor_map_encode_tiled)(void* map, int element, unsigned rank, void* address,
                                    const std::uint64_t* extents, const std::uint64_t* strides,
                                    const std::uint32_t* box, const std::uint32_t* element_strides,
                                    int interleave, int swizzle, int l2_promotion, int fill);
};

}  // namespace kiln::cuda_abi
