#pragma once

#include "device/gpu/gpu_stream.h"
#include "device/hip/hip_context.h"

namespace kiln {

/// What the templates of device/gpu/ need to know of HIP.
struct HipVendor {
  using Context = HipContext;
  using Stream = hip_abi::Stream;
  using Event = hip_abi::Event;
  using Graph = hip_abi::Graph;
  using GraphInstance = hip_abi::GraphInstance;
  using DevicePointer = hip_abi::DevicePointer;
  using CaptureStatus = hip_abi::CaptureStatus;
  using StreamOwner = HipStreamHandle;
  using EventOwner = HipEventHandle;
  using GraphOwner = HipGraphHandle;
  using GraphInstanceOwner = HipGraphInstanceHandle;
  using MemoryOwner = HipMemory;
  using HostMemoryOwner = HipHostMemory;

  static constexpr DriverCall kStreamCreate{&hip_abi::Functions::stream_create, "hipStreamCreateWithFlags"};
  static constexpr DriverCall kStreamSynchronize{&hip_abi::Functions::stream_synchronize,
                                                 "hipStreamSynchronize"};
  static constexpr DriverCall kStreamWaitEvent{&hip_abi::Functions::stream_wait_event, "hipStreamWaitEvent"};
  static constexpr DriverCall kStreamIsCapturing{&hip_abi::Functions::stream_is_capturing,
                                                 "hipStreamIsCapturing"};
  static constexpr DriverCall kBeginCapture{&hip_abi::Functions::begin_capture, "hipStreamBeginCapture"};
  static constexpr DriverCall kEndCapture{&hip_abi::Functions::end_capture, "hipStreamEndCapture"};
  static constexpr DriverCall kGraphInstantiate{&hip_abi::Functions::graph_instantiate,
                                                "hipGraphInstantiateWithFlags"};
  static constexpr DriverCall kGraphLaunch{&hip_abi::Functions::graph_launch, "hipGraphLaunch"};
  static constexpr DriverCall kEventCreate{&hip_abi::Functions::event_create, "hipEventCreateWithFlags"};
  static constexpr DriverCall kEventRecord{&hip_abi::Functions::event_record, "hipEventRecord"};
  static constexpr DriverCall kEventElapsed{&hip_abi::Functions::event_elapsed, "hipEventElapsedTime"};
  static constexpr DriverCall kMemoryGetInfo{&hip_abi::Functions::memory_get_info, "hipMemGetInfo"};
  static constexpr DriverCall kMemoryAllocate{&hip_abi::Functions::memory_allocate, "hipMalloc"};
  static constexpr DriverCall kHostAllocate{&hip_abi::Functions::host_allocate, "hipHostMalloc"};
  static constexpr DriverCall kCopyToDevice{&hip_abi::Functions::copy_to_device, "hipMemcpyHtoDAsync"};
  static constexpr DriverCall kCopyToHost{&hip_abi::Functions::copy_to_host, "hipMemcpyDtoHAsync"};
  static constexpr DriverCall kCopyOnDevice{&hip_abi::Functions::copy_on_device, "hipMemcpyDtoDAsync"};
  static constexpr DriverCall kCopyFromPeer{&hip_abi::Functions::copy_from_peer, "hipMemcpyPeerAsync"};
  static constexpr DriverCall kEnablePeerAccess{&hip_abi::Functions::enable_peer_access,
                                                "hipDeviceEnablePeerAccess"};
  static constexpr DriverCall kFillBytes{&hip_abi::Functions::fill_bytes, "hipMemsetD8Async"};

  static constexpr auto kSuccess = hip_abi::kSuccess;
  static constexpr auto kOutOfMemory = hip_abi::kOutOfMemory;
  static constexpr auto kStreamCaptureImplicit = hip_abi::kStreamCaptureImplicit;
  static constexpr auto kStreamNonBlocking = hip_abi::kStreamNonBlocking;
  static constexpr auto kEventDefault = hip_abi::kEventDefault;
  static constexpr auto kEventNoTiming = hip_abi::kEventNoTiming;
  static constexpr auto kCaptureOfThread = hip_abi::CaptureMode::kThreadLocal;
  static constexpr const char* kGraphsCame = "HIP 5.2 brought them";

  static Stream default_stream() { return nullptr; }
  static DevicePointer address(const void* pointer) {
    return const_cast<void*>(
        pointer);  // NOLINT(cppcoreguidelines-pro-type-const-cast): what is read is const there
  }
  static void* pointer(DevicePointer address) { return address; }
};

using HipStream = GpuStream<HipVendor>;

}  // namespace kiln
