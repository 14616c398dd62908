#pragma once

#include "device/cuda/cuda_context.h"
#include "device/gpu/gpu_stream.h"

namespace kiln {

/// The types and constants of CUDA for the templates of device/gpu/.
struct CudaVendor {
  using Context = CudaContext;
  using Driver = CudaDriver;
  using Functions = cuda_abi::Functions;
  using Stream = cuda_abi::Stream;
  using Event = cuda_abi::Event;
  using Graph = cuda_abi::Graph;
  using GraphInstance = cuda_abi::GraphInstance;
  using DevicePointer = cuda_abi::DevicePointer;
  using CaptureStatus = cuda_abi::CaptureStatus;

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
