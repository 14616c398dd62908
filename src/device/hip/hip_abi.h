#pragma once

#include <cstddef>

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

// Results that Kiln tells apart.
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

/// hipDeviceAttribute_t, whose numbers have stayed since 5.0.
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
  kMaxThreadsPerUnit = 57,
  kMemoryBusBits = 59,
  kMemoryClockKhz = 60,
  kMultiprocessors = 63,
  kMaxSharedBytes = 74,
  kWarpSize = 87,
};

/// hipStreamCaptureMode, for the one that Kiln uses: other threads may allocate and load meanwhile.
enum class CaptureMode : int { kThreadLocal = 1 };

/// hipStreamCaptureStatus
enum class CaptureStatus : int { kNone = 0, kActive = 1, kInvalidated = 2 };

constexpr unsigned kStreamNonBlocking = 1;  // hipStreamNonBlocking
constexpr unsigned kEventDefault = 0;       // hipEventDefault
constexpr unsigned kEventNoTiming = 2;      // hipEventDisableTiming

/// hipDeviceProp_t changed in 6.0, and with it the name of the function that fills it. Of both forms only the
/// ISA's name is read, which no attribute gives: its offset, and room for the whole structure of either.
constexpr std::size_t kIsaNameOffset = 396;        // hipGetDeviceProperties of 5.x
constexpr std::size_t kIsaNameOffsetR0600 = 1160;  // hipGetDevicePropertiesR0600
constexpr std::size_t kIsaNameBytes = 256;
constexpr std::size_t kPropertiesBytes = 8192;

/// Addresses of the run time's functions. Those after `optional` came with later releases and may be null.
struct Functions {
  Result (*init)(unsigned flags);
  Result (*runtime_get_version)(int* version);
  const char* (*get_error_name)(Result error);
  const char* (*get_error_string)(Result error);
  Result (*get_device_count)(int* count);
  Result (*device_get)(DeviceNumber* device, int ordinal);
  Result (*device_get_name)(char* name, int length, DeviceNumber device);
  Result (*device_total_memory)(std::size_t* bytes, DeviceNumber device);
  Result (*device_get_attribute)(int* value, DeviceAttribute attribute, int ordinal);
  Result (*get_device_properties)(void* properties, int ordinal);
  Result (*get_device)(int* ordinal);
  Result (*set_device)(int ordinal);
  Result (*memory_get_info)(std::size_t* free, std::size_t* total);
  Result (*memory_allocate)(DevicePointer* address, std::size_t bytes);
  Result (*memory_free)(DevicePointer address);
  Result (*host_allocate)(void** address, std::size_t bytes, unsigned flags);
  Result (*host_free)(void* address);
  Result (*copy_to_device)(DevicePointer to, const void* from, std::size_t bytes, Stream stream);
  Result (*copy_to_host)(void* to, const void* from, std::size_t bytes, Stream stream);
  Result (*copy_on_device)(DevicePointer to, const void* from, std::size_t bytes, Stream stream);
  Result (*copy_from_peer)(DevicePointer to, int to_device, const void* from, int from_device,
                           std::size_t bytes, Stream stream);
  Result (*enable_peer_access)(int peer, unsigned flags);
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
  Result (*event_elapsed)(float* milliseconds, Event start, Event end);
  Result (*module_load)(Module* module, const void* image);
  Result (*module_unload)(Module module);
  Result (*module_get_function)(Function* function, Module module, const char* name);
  Result (*module_get_global)(DevicePointer* address, std::size_t* bytes, Module module, const char* name);
  Result (*launch_kernel)(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                          unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                          Stream stream, void** arguments, void** extra);
  Result (*max_active_blocks)(int* blocks, Function function, int block_size, std::size_t shared_bytes);

  // optional
  Result (*graph_instantiate)(GraphInstance* instance, Graph graph, unsigned long long flags);
  Result (*launch_cooperative_kernel)(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                      unsigned block_x, unsigned block_y, unsigned block_z,
                                      unsigned shared_bytes, Stream stream, void** arguments);
  Result (*get_device_properties_r0600)(void* properties, int ordinal);
};

}  // namespace kiln::hip_abi
