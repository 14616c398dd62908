#pragma once

#include "device/gpu/gpu_stream.h"
#include "device/hip/hip_context.h"

namespace kiln {

/// The types and constants of HIP for the templates of device/gpu/.
struct HipVendor {
  using Context = HipContext;
  using Driver = HipRuntime;
  using Functions = hip_abi::Functions;
  using Stream = hip_abi::Stream;
  using Event = hip_abi::Event;
  using Graph = hip_abi::Graph;
  using GraphInstance = hip_abi::GraphInstance;
  using DevicePointer = hip_abi::DevicePointer;
  using CaptureStatus = hip_abi::CaptureStatus;

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
