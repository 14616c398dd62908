#pragma once

#include "device/cuda/cuda_context.h"
#include "device/gpu/gpu_stream.h"

namespace kiln {

/// What the templates of device/gpu/ need to know of CUDA.
struct CudaVendor {
  using Context = CudaContext;
  using Stream = cuda_abi::Stream;
  using Event = cuda_abi::Event;
  using Graph = cuda_abi::Graph;
  using GraphInstance = cuda_abi::GraphInstance;
  using DevicePointer = cuda_abi::DevicePointer;
  using CaptureStatus = cuda_abi::CaptureStatus;
  using StreamOwner = CudaStreamHandle;
  using EventOwner = CudaEventHandle;
  using GraphOwner = CudaGraphHandle;
  using GraphInstanceOwner = CudaGraphInstanceHandle;
  using MemoryOwner = CudaMemory;
  using HostMemoryOwner = CudaHostMemory;

  static constexpr DriverCall kStreamCreate{&cuda_abi::Functions::stream_create, "cuStreamCreate"};
  static constexpr DriverCall kStreamSynchronize{&cuda_abi::Functions::stream_synchronize,
                                                 "cuStreamSynchronize"};
  static constexpr DriverCall kStreamWaitEvent{&cuda_abi::Functions::stream_wait_event, "cuStreamWaitEvent"};
  static constexpr DriverCall kStreamIsCapturing{&cuda_abi::Functions::stream_is_capturing,
                                                 "cuStreamIsCapturing"};
  static constexpr DriverCall kBeginCapture{&cuda_abi::Functions::begin_capture, "cuStreamBeginCapture"};
  static constexpr DriverCall kEndCapture{&cuda_abi::Functions::end_capture, "cuStreamEndCapture"};
  static constexpr DriverCall kGraphInstantiate{&cuda_abi::Functions::graph_instantiate,
                                                "cuGraphInstantiateWithFlags"};
  static constexpr DriverCall kGraphLaunch{&cuda_abi::Functions::graph_launch, "cuGraphLaunch"};
  static constexpr DriverCall kEventCreate{&cuda_abi::Functions::event_create, "cuEventCreate"};
  static constexpr DriverCall kEventRecord{&cuda_abi::Functions::event_record, "cuEventRecord"};
  static constexpr DriverCall kEventElapsed{&cuda_abi::Functions::event_elapsed, "cuEventElapsedTime"};
  static constexpr DriverCall kMemoryGetInfo{&cuda_abi::Functions::memory_get_info, "cuMemGetInfo"};
  static constexpr DriverCall kMemoryAllocate{&cuda_abi::Functions::memory_allocate, "cuMemAlloc"};
  static constexpr DriverCall kHostAllocate{&cuda_abi::Functions::host_allocate, "cuMemHostAlloc"};
  static constexpr DriverCall kCopyToDevice{&cuda_abi::Functions::copy_to_device, "cuMemcpyHtoDAsync"};
  static constexpr DriverCall kCopyToHost{&cuda_abi::Functions::copy_to_host, "cuMemcpyDtoHAsync"};
  static constexpr DriverCall kCopyOnDevice{&cuda_abi::Functions::copy_on_device, "cuMemcpyDtoDAsync"};
  static constexpr DriverCall kCopyFromPeer{&cuda_abi::Functions::copy_from_peer, "cuMemcpyPeerAsync"};
  static constexpr DriverCall kEnablePeerAccess{&cuda_abi::Functions::enable_peer_access,
                                                "cuCtxEnablePeerAccess"};
  static constexpr DriverCall kFillBytes{&cuda_abi::Functions::fill_bytes, "cuMemsetD8Async"};

  static constexpr auto kSuccess = cuda_abi::kSuccess;
  static constexpr auto kOutOfMemory = cuda_abi::kOutOfMemory;
  static constexpr auto kStreamCaptureImplicit = cuda_abi::kStreamCaptureImplicit;
  static constexpr auto kStreamNonBlocking = cuda_abi::kStreamNonBlocking;
  static constexpr auto kEventDefault = cuda_abi::kEventDefault;
  static constexpr auto kEventNoTiming = cuda_abi::kEventNoTiming;
  static constexpr auto kCaptureOfThread = cuda_abi::CaptureMode::kThreadLocal;
  static constexpr const char* kGraphsCame = "CUDA 11.4 brought them";

  static Stream default_stream() { return cuda_abi::kLegacyStream; }
  static DevicePointer address(const void* pointer) { return reinterpret_cast<DevicePointer>(pointer); }
  static void* pointer(DevicePointer address) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver's addresses are numbers
    return reinterpret_cast<void*>(address);
  }
};

using CudaStream = GpuStream<CudaVendor>;

}  // namespace kiln
