// Kiln's declarations of the HIP run time's interface against AMD's, where hip/hip_runtime_api.h is found
// when the tests are built.
#include "device/hip/hip_abi.h"

#include <gtest/gtest.h>

#if __has_include(<hip/hip_runtime_api.h>)
#define __HIP_PLATFORM_AMD__ 1  // NOLINT(bugprone-reserved-identifier): asked for by the header
#include <hip/hip_runtime_api.h>
#include <hip/hip_version.h>

#include "support/abi_equal.h"

namespace kiln::test {
namespace {

using hip_abi::CaptureStatus;
using hip_abi::DeviceAttribute;
using F = hip_abi::Functions;

template <class Number>
constexpr int number(Number value) {
  return static_cast<int>(value);
}

static_assert(hip_abi::kSuccess == hipSuccess);
static_assert(hip_abi::kOutOfMemory == hipErrorOutOfMemory);
static_assert(hip_abi::kInvalidConfiguration == hipErrorInvalidConfiguration);
static_assert(hip_abi::kNoDevice == hipErrorNoDevice);
static_assert(hip_abi::kInvalidDevice == hipErrorInvalidDevice);
static_assert(hip_abi::kNoBinaryForGpu == hipErrorNoBinaryForGpu);
static_assert(hip_abi::kEccUncorrectable == hipErrorECCNotCorrectable);
static_assert(hip_abi::kNotFound == hipErrorNotFound);
static_assert(hip_abi::kIllegalAddress == hipErrorIllegalAddress);
static_assert(hip_abi::kLaunchTimeout == hipErrorLaunchTimeOut);
static_assert(hip_abi::kAssert == hipErrorAssert);
static_assert(hip_abi::kLaunchFailure == hipErrorLaunchFailure);
static_assert(hip_abi::kStreamCaptureUnsupported == hipErrorStreamCaptureUnsupported);
static_assert(hip_abi::kStreamCaptureImplicit == hipErrorStreamCaptureImplicit);
static_assert(hip_abi::kStreamCaptureWrongThread == hipErrorStreamCaptureWrongThread);
static_assert(hip_abi::kStreamNonBlocking == hipStreamNonBlocking);
static_assert(hip_abi::kEventDefault == hipEventDefault);
static_assert(number(CaptureStatus::kNone) == hipStreamCaptureStatusNone);
static_assert(number(CaptureStatus::kActive) == hipStreamCaptureStatusActive);
static_assert(number(CaptureStatus::kInvalidated) == hipStreamCaptureStatusInvalidated);

static_assert(number(DeviceAttribute::kCooperativeLaunch) == hipDeviceAttributeCooperativeLaunch);
static_assert(number(DeviceAttribute::kL2Bytes) == hipDeviceAttributeL2CacheSize);
static_assert(number(DeviceAttribute::kMemoryBusBits) == hipDeviceAttributeMemoryBusWidth);
static_assert(number(DeviceAttribute::kMemoryClockKhz) == hipDeviceAttributeMemoryClockRate);
static_assert(number(DeviceAttribute::kMaxBlockX) == hipDeviceAttributeMaxBlockDimX);
static_assert(number(DeviceAttribute::kMaxBlockY) == hipDeviceAttributeMaxBlockDimY);
static_assert(number(DeviceAttribute::kMaxBlockZ) == hipDeviceAttributeMaxBlockDimZ);
static_assert(number(DeviceAttribute::kMaxGridX) == hipDeviceAttributeMaxGridDimX);
static_assert(number(DeviceAttribute::kMaxGridY) == hipDeviceAttributeMaxGridDimY);
static_assert(number(DeviceAttribute::kMaxGridZ) == hipDeviceAttributeMaxGridDimZ);
static_assert(number(DeviceAttribute::kMaxThreadsPerBlock) == hipDeviceAttributeMaxThreadsPerBlock);
static_assert(number(DeviceAttribute::kMaxThreadsPerMultiprocessor) ==
              hipDeviceAttributeMaxThreadsPerMultiProcessor);
static_assert(number(DeviceAttribute::kMultiprocessors) == hipDeviceAttributeMultiprocessorCount);
static_assert(number(DeviceAttribute::kMaxSharedBytes) == hipDeviceAttributeMaxSharedMemoryPerBlock);
static_assert(number(DeviceAttribute::kWarpSize) == hipDeviceAttributeWarpSize);

#if HIP_VERSION_MAJOR < 6
static_assert(hip_abi::kIsaNameOffset == offsetof(hipDeviceProp_t, gcnArchName));
#else
static_assert(hip_abi::kIsaNameOffsetR0600 == offsetof(hipDeviceProp_tR0600, gcnArchName));
#endif
static_assert(hip_abi::kIsaNameBytes == sizeof(hipDeviceProp_t::gcnArchName));
static_assert(hip_abi::kPropertiesBytes >= sizeof(hipDeviceProp_t));

static_assert(kAbiEqual<decltype(F::init), decltype(&::hipInit)>);
static_assert(kAbiEqual<decltype(F::runtime_get_version), decltype(&::hipRuntimeGetVersion)>);
static_assert(kAbiEqual<decltype(F::get_error_name), decltype(&::hipGetErrorName)>);
static_assert(kAbiEqual<decltype(F::get_error_string), decltype(&::hipGetErrorString)>);
static_assert(kAbiEqual<decltype(F::get_device_count), decltype(&::hipGetDeviceCount)>);
static_assert(kAbiEqual<decltype(F::device_get), decltype(&::hipDeviceGet)>);
static_assert(kAbiEqual<decltype(F::device_get_name), decltype(&::hipDeviceGetName)>);
static_assert(kAbiEqual<decltype(F::device_total_memory), decltype(&::hipDeviceTotalMem)>);
static_assert(kAbiEqual<decltype(F::device_get_attribute), decltype(&::hipDeviceGetAttribute)>);
static_assert(kAbiEqual<decltype(F::get_device), decltype(&::hipGetDevice)>);
static_assert(kAbiEqual<decltype(F::set_device), decltype(&::hipSetDevice)>);
static_assert(kAbiEqual<decltype(F::memory_get_info), decltype(&::hipMemGetInfo)>);
static_assert(kAbiEqual<decltype(F::memory_allocate), hipError_t (*)(void**, std::size_t)>);
static_assert(kAbiEqual<decltype(F::memory_free), decltype(&::hipFree)>);
static_assert(kAbiEqual<decltype(F::copy_to_device), decltype(&::hipMemcpyHtoDAsync)>);
static_assert(kAbiEqual<decltype(F::copy_to_host), decltype(&::hipMemcpyDtoHAsync)>);
static_assert(kAbiEqual<decltype(F::copy_on_device), decltype(&::hipMemcpyDtoDAsync)>);
static_assert(hip_abi::kEventNoTiming == hipEventDisableTiming);
static_assert(number(hip_abi::CaptureMode::kThreadLocal) == hipStreamCaptureModeThreadLocal);
static_assert(kAbiEqual<decltype(F::host_allocate), hipError_t (*)(void**, std::size_t, unsigned)>);
static_assert(kAbiEqual<decltype(F::host_free), decltype(&::hipHostFree)>);
static_assert(kAbiEqual<decltype(F::copy_from_peer), decltype(&::hipMemcpyPeerAsync)>);
static_assert(kAbiEqual<decltype(F::enable_peer_access), decltype(&::hipDeviceEnablePeerAccess)>);
static_assert(kAbiEqual<decltype(F::stream_wait_event), hipError_t (*)(hipStream_t, hipEvent_t, unsigned)>);
static_assert(kAbiEqual<decltype(F::begin_capture), decltype(&::hipStreamBeginCapture)>);
static_assert(kAbiEqual<decltype(F::end_capture), decltype(&::hipStreamEndCapture)>);
static_assert(kAbiEqual<decltype(F::graph_destroy), decltype(&::hipGraphDestroy)>);
static_assert(kAbiEqual<decltype(F::graph_instance_destroy), decltype(&::hipGraphExecDestroy)>);
static_assert(kAbiEqual<decltype(F::graph_launch), hipError_t (*)(hipGraphExec_t, hipStream_t)>);
static_assert(kAbiEqual<decltype(F::fill_bytes), decltype(&::hipMemsetD8Async)>);
static_assert(kAbiEqual<decltype(F::stream_create), decltype(&::hipStreamCreateWithFlags)>);
static_assert(kAbiEqual<decltype(F::stream_destroy), decltype(&::hipStreamDestroy)>);
static_assert(kAbiEqual<decltype(F::stream_synchronize), decltype(&::hipStreamSynchronize)>);
static_assert(kAbiEqual<decltype(F::stream_is_capturing), decltype(&::hipStreamIsCapturing)>);
static_assert(kAbiEqual<decltype(F::event_create), decltype(&::hipEventCreateWithFlags)>);
static_assert(kAbiEqual<decltype(F::event_destroy), decltype(&::hipEventDestroy)>);
static_assert(kAbiEqual<decltype(F::event_record), hipError_t (*)(hipEvent_t, hipStream_t)>);
static_assert(kAbiEqual<decltype(F::event_elapsed), decltype(&::hipEventElapsedTime)>);
static_assert(kAbiEqual<decltype(F::module_load), decltype(&::hipModuleLoadData)>);
static_assert(kAbiEqual<decltype(F::module_unload), decltype(&::hipModuleUnload)>);
static_assert(kAbiEqual<decltype(F::module_get_function), decltype(&::hipModuleGetFunction)>);
static_assert(kAbiEqual<decltype(F::module_get_global), decltype(&::hipModuleGetGlobal)>);
static_assert(kAbiEqual<decltype(F::launch_kernel), decltype(&::hipModuleLaunchKernel)>);
static_assert(
    kAbiEqual<decltype(F::max_active_blocks), hipError_t (*)(int*, hipFunction_t, int, std::size_t)>);
#if HIP_VERSION_MAJOR > 5 || (HIP_VERSION_MAJOR == 5 && HIP_VERSION_MINOR >= 5)
static_assert(
    kAbiEqual<decltype(F::launch_cooperative_kernel), decltype(&::hipModuleLaunchCooperativeKernel)>);
#endif

TEST(HipAbi, AgreesWithTheVendorsHeader) {
  SUCCEED() << "hip_runtime_api.h of HIP " << HIP_VERSION;
}

}  // namespace
}  // namespace kiln::test

#else

TEST(HipAbi, AgreesWithTheVendorsHeader) {
  GTEST_SKIP() << "hip/hip_runtime_api.h was not found when the tests were built";
}

#endif
