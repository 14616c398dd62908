// Kiln's declarations of the driver's interface against NVIDIA's, where cuda.h is found when the tests are
// built.
#include "device/cuda/driver_abi.h"

#include <gtest/gtest.h>

#if __has_include(<cuda.h>)
#include <cuda.h>

#include "device/tensor_map.h"
#include "device/texture.h"
#include "support/abi_equal.h"

namespace kiln::test {
namespace {

using cuda_abi::DeviceAttribute;
using cuda_abi::FunctionAttribute;
using F = cuda_abi::Functions;

template <class Number>
constexpr int number(Number value) {
  return static_cast<int>(value);
}

static_assert(cuda_abi::kSuccess == CUDA_SUCCESS);
static_assert(cuda_abi::kInvalidValue == CUDA_ERROR_INVALID_VALUE);
static_assert(cuda_abi::kOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(cuda_abi::kDeinitialized == CUDA_ERROR_DEINITIALIZED);
static_assert(cuda_abi::kNoDevice == CUDA_ERROR_NO_DEVICE);
static_assert(cuda_abi::kNoBinaryForGpu == CUDA_ERROR_NO_BINARY_FOR_GPU);
static_assert(cuda_abi::kEccUncorrectable == CUDA_ERROR_ECC_UNCORRECTABLE);
static_assert(cuda_abi::kInvalidPtx == CUDA_ERROR_INVALID_PTX);
static_assert(cuda_abi::kUnsupportedPtxVersion == CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
static_assert(cuda_abi::kNotFound == CUDA_ERROR_NOT_FOUND);
static_assert(cuda_abi::kIllegalAddress == CUDA_ERROR_ILLEGAL_ADDRESS);
static_assert(cuda_abi::kLaunchTimeout == CUDA_ERROR_LAUNCH_TIMEOUT);
static_assert(cuda_abi::kAssert == CUDA_ERROR_ASSERT);
static_assert(cuda_abi::kHardwareStackError == CUDA_ERROR_HARDWARE_STACK_ERROR);
static_assert(cuda_abi::kIllegalInstruction == CUDA_ERROR_ILLEGAL_INSTRUCTION);
static_assert(cuda_abi::kMisalignedAddress == CUDA_ERROR_MISALIGNED_ADDRESS);
static_assert(cuda_abi::kInvalidAddressSpace == CUDA_ERROR_INVALID_ADDRESS_SPACE);
static_assert(cuda_abi::kInvalidPc == CUDA_ERROR_INVALID_PC);
static_assert(cuda_abi::kLaunchFailed == CUDA_ERROR_LAUNCH_FAILED);
#if CUDA_VERSION >= 12000
static_assert(cuda_abi::kMpsClientTerminated == CUDA_ERROR_MPS_CLIENT_TERMINATED);
static_assert(cuda_abi::kExternalDevice == CUDA_ERROR_EXTERNAL_DEVICE);
#endif
#if CUDA_VERSION >= 13000
static_assert(cuda_abi::kContained == CUDA_ERROR_CONTAINED);
static_assert(cuda_abi::kTensorMemoryLeak == CUDA_ERROR_TENSOR_MEMORY_LEAK);
#endif
static_assert(cuda_abi::kStreamCaptureUnsupported == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
static_assert(cuda_abi::kStreamCaptureInvalidated == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
static_assert(cuda_abi::kStreamCaptureImplicit == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
static_assert(cuda_abi::kStreamCaptureWrongThread == CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
static_assert(cuda_abi::kStreamNonBlocking == CU_STREAM_NON_BLOCKING);
static_assert(cuda_abi::kEventDefault == CU_EVENT_DEFAULT);
static_assert(cuda_abi::kEventNoTiming == CU_EVENT_DISABLE_TIMING);

static_assert(number(DeviceAttribute::kMaxThreadsPerBlock) == CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
static_assert(number(DeviceAttribute::kMaxBlockX) == CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
static_assert(number(DeviceAttribute::kMaxBlockY) == CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
static_assert(number(DeviceAttribute::kMaxBlockZ) == CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
static_assert(number(DeviceAttribute::kMaxGridX) == CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
static_assert(number(DeviceAttribute::kMaxGridY) == CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
static_assert(number(DeviceAttribute::kMaxGridZ) == CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
static_assert(number(DeviceAttribute::kMultiprocessors) == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
static_assert(number(DeviceAttribute::kL2Bytes) == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
static_assert(number(DeviceAttribute::kMemoryClockKhz) == CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
static_assert(number(DeviceAttribute::kMemoryBusBits) == CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
static_assert(number(DeviceAttribute::kCapabilityMajor) == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(number(DeviceAttribute::kCapabilityMinor) == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(number(DeviceAttribute::kMaxSharedBytesOptIn) ==
              CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
static_assert(number(DeviceAttribute::kMaxThreadsPerMultiprocessor) ==
              CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
static_assert(number(DeviceAttribute::kCooperativeLaunch) == CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH);
static_assert(number(cuda_abi::CaptureStatus::kNone) == CU_STREAM_CAPTURE_STATUS_NONE);
static_assert(number(cuda_abi::CaptureStatus::kActive) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
static_assert(number(cuda_abi::CaptureStatus::kInvalidated) == CU_STREAM_CAPTURE_STATUS_INVALIDATED);
static_assert(number(FunctionAttribute::kMaxThreadsPerBlock) == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
static_assert(number(FunctionAttribute::kStaticSharedBytes) == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
static_assert(number(FunctionAttribute::kLocalBytes) == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
static_assert(number(FunctionAttribute::kRegisters) == CU_FUNC_ATTRIBUTE_NUM_REGS);
static_assert(number(FunctionAttribute::kMaxDynamicSharedBytes) ==
              CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);

static_assert(kAbiEqual<decltype(F::init), decltype(&::cuInit)>);
static_assert(kAbiEqual<decltype(F::driver_get_version), decltype(&::cuDriverGetVersion)>);
static_assert(kAbiEqual<decltype(F::get_error_name), decltype(&::cuGetErrorName)>);
static_assert(kAbiEqual<decltype(F::get_error_string), decltype(&::cuGetErrorString)>);
static_assert(kAbiEqual<decltype(F::device_get), decltype(&::cuDeviceGet)>);
static_assert(kAbiEqual<decltype(F::device_get_count), decltype(&::cuDeviceGetCount)>);
static_assert(kAbiEqual<decltype(F::device_get_name), decltype(&::cuDeviceGetName)>);
static_assert(kAbiEqual<decltype(F::device_total_memory), decltype(&::cuDeviceTotalMem)>);
static_assert(kAbiEqual<decltype(F::device_get_attribute), decltype(&::cuDeviceGetAttribute)>);
static_assert(kAbiEqual<decltype(F::primary_context_retain), decltype(&::cuDevicePrimaryCtxRetain)>);
static_assert(kAbiEqual<decltype(F::primary_context_release), decltype(&::cuDevicePrimaryCtxRelease)>);
static_assert(kAbiEqual<decltype(F::context_get_current), decltype(&::cuCtxGetCurrent)>);
static_assert(kAbiEqual<decltype(F::context_push), decltype(&::cuCtxPushCurrent)>);
static_assert(kAbiEqual<decltype(F::context_pop), decltype(&::cuCtxPopCurrent)>);
static_assert(kAbiEqual<decltype(F::memory_get_info), decltype(&::cuMemGetInfo)>);
static_assert(kAbiEqual<decltype(F::memory_allocate), decltype(&::cuMemAlloc)>);
static_assert(kAbiEqual<decltype(F::memory_free), decltype(&::cuMemFree)>);
static_assert(kAbiEqual<decltype(F::host_allocate), decltype(&::cuMemHostAlloc)>);
static_assert(kAbiEqual<decltype(F::host_free), decltype(&::cuMemFreeHost)>);
static_assert(kAbiEqual<decltype(F::copy_to_device), decltype(&::cuMemcpyHtoDAsync)>);
static_assert(kAbiEqual<decltype(F::copy_to_host), decltype(&::cuMemcpyDtoHAsync)>);
static_assert(kAbiEqual<decltype(F::copy_on_device), decltype(&::cuMemcpyDtoDAsync)>);
static_assert(kAbiEqual<decltype(F::copy_from_peer), decltype(&::cuMemcpyPeerAsync)>);
static_assert(kAbiEqual<decltype(F::enable_peer_access), decltype(&::cuCtxEnablePeerAccess)>);
static_assert(kAbiEqual<decltype(F::stream_wait_event), decltype(&::cuStreamWaitEvent)>);
static_assert(kAbiEqual<decltype(F::begin_capture), decltype(&::cuStreamBeginCapture)>);
static_assert(kAbiEqual<decltype(F::end_capture), decltype(&::cuStreamEndCapture)>);
static_assert(kAbiEqual<decltype(F::graph_destroy), decltype(&::cuGraphDestroy)>);
static_assert(kAbiEqual<decltype(F::graph_instance_destroy), decltype(&::cuGraphExecDestroy)>);
static_assert(kAbiEqual<decltype(F::graph_launch), decltype(&::cuGraphLaunch)>);
#if CUDA_VERSION >= 11040
static_assert(kAbiEqual<decltype(F::graph_instantiate), decltype(&::cuGraphInstantiateWithFlags)>);
#endif
static_assert(number(cuda_abi::CaptureMode::kThreadLocal) == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
static_assert(kAbiEqual<decltype(F::fill_bytes), decltype(&::cuMemsetD8Async)>);
static_assert(kAbiEqual<decltype(F::stream_create), decltype(&::cuStreamCreate)>);
static_assert(kAbiEqual<decltype(F::stream_destroy), decltype(&::cuStreamDestroy)>);
static_assert(kAbiEqual<decltype(F::stream_synchronize), decltype(&::cuStreamSynchronize)>);
static_assert(kAbiEqual<decltype(F::stream_is_capturing), decltype(&::cuStreamIsCapturing)>);
static_assert(kAbiEqual<decltype(F::event_create), decltype(&::cuEventCreate)>);
static_assert(kAbiEqual<decltype(F::event_destroy), decltype(&::cuEventDestroy)>);
static_assert(kAbiEqual<decltype(F::event_record), decltype(&::cuEventRecord)>);
static_assert(kAbiEqual<decltype(F::event_synchronize), decltype(&::cuEventSynchronize)>);
static_assert(kAbiEqual<decltype(F::event_elapsed), decltype(&::cuEventElapsedTime)>);
static_assert(kAbiEqual<decltype(F::module_load), decltype(&::cuModuleLoadDataEx)>);
static_assert(kAbiEqual<decltype(F::module_unload), decltype(&::cuModuleUnload)>);
static_assert(kAbiEqual<decltype(F::module_get_function), decltype(&::cuModuleGetFunction)>);
static_assert(kAbiEqual<decltype(F::module_get_global), decltype(&::cuModuleGetGlobal)>);
static_assert(kAbiEqual<decltype(F::function_get_attribute), decltype(&::cuFuncGetAttribute)>);
static_assert(kAbiEqual<decltype(F::function_set_attribute), decltype(&::cuFuncSetAttribute)>);
static_assert(kAbiEqual<decltype(F::launch_kernel), decltype(&::cuLaunchKernel)>);
static_assert(
    kAbiEqual<decltype(F::max_active_blocks), decltype(&::cuOccupancyMaxActiveBlocksPerMultiprocessor)>);
static_assert(kAbiEqual<decltype(F::device_get_pci_bus_id), decltype(&::cuDeviceGetPCIBusId)>);
#if CUDA_VERSION >= 11080
static_assert(number(DeviceAttribute::kClusterLaunch) == CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);
static_assert(number(FunctionAttribute::kNonPortableClusterSizeAllowed) ==
              CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
static_assert(kAbiEqual<decltype(F::launch_kernel_ex), decltype(&::cuLaunchKernelEx)>);
static_assert(kAbiEqual<decltype(F::max_active_clusters), decltype(&::cuOccupancyMaxActiveClusters)>);
static_assert(sizeof(cuda_abi::LaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(offsetof(cuda_abi::LaunchAttribute, value) == offsetof(CUlaunchAttribute, value));
static_assert(offsetof(CUlaunchAttributeValue, cooperative) == 0);
static_assert(offsetof(CUlaunchAttributeValue, clusterDim) == 0);
static_assert(sizeof(cuda_abi::LaunchAttribute::Value::cluster) ==
              sizeof(CUlaunchAttributeValue::clusterDim));
static_assert(number(cuda_abi::LaunchAttribute::Id::kCooperative) == CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
static_assert(number(cuda_abi::LaunchAttribute::Id::kClusterDimension) ==
              CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
static_assert(offsetof(CUlaunchAttributeValue, programmaticStreamSerializationAllowed) == 0);
static_assert(number(cuda_abi::LaunchAttribute::Id::kProgrammaticSerialization) ==
              CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
static_assert(sizeof(cuda_abi::LaunchConfig) == sizeof(CUlaunchConfig));
static_assert(offsetof(cuda_abi::LaunchConfig, grid_z) == offsetof(CUlaunchConfig, gridDimZ));
static_assert(offsetof(cuda_abi::LaunchConfig, block_x) == offsetof(CUlaunchConfig, blockDimX));
static_assert(offsetof(cuda_abi::LaunchConfig, shared_bytes) == offsetof(CUlaunchConfig, sharedMemBytes));
static_assert(offsetof(cuda_abi::LaunchConfig, stream) == offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(cuda_abi::LaunchConfig, attributes) == offsetof(CUlaunchConfig, attrs));
static_assert(offsetof(cuda_abi::LaunchConfig, attribute_count) == offsetof(CUlaunchConfig, numAttrs));
#endif
#if CUDA_VERSION >= 12000
static_assert(kAbiEqual<decltype(F::tensor_map_encode_tiled), decltype(&::cuTensorMapEncodeTiled)>);
static_assert(sizeof(TensorMap) == sizeof(CUtensorMap) && alignof(TensorMap) >= 64);
static_assert(number(cuda_abi::TensorMapElement::kU8) == CU_TENSOR_MAP_DATA_TYPE_UINT8);
static_assert(number(cuda_abi::TensorMapElement::kU16) == CU_TENSOR_MAP_DATA_TYPE_UINT16);
static_assert(number(cuda_abi::TensorMapElement::kU32) == CU_TENSOR_MAP_DATA_TYPE_UINT32);
static_assert(number(cuda_abi::TensorMapElement::kI32) == CU_TENSOR_MAP_DATA_TYPE_INT32);
static_assert(number(cuda_abi::TensorMapElement::kU64) == CU_TENSOR_MAP_DATA_TYPE_UINT64);
static_assert(number(cuda_abi::TensorMapElement::kI64) == CU_TENSOR_MAP_DATA_TYPE_INT64);
static_assert(number(cuda_abi::TensorMapElement::kF32) == CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
static_assert(number(cuda_abi::TensorMapElement::kF64) == CU_TENSOR_MAP_DATA_TYPE_FLOAT64);
static_assert(number(TensorMapLayout::Interleave::k32B) == CU_TENSOR_MAP_INTERLEAVE_32B);
static_assert(number(TensorMapLayout::Swizzle::k128B) == CU_TENSOR_MAP_SWIZZLE_128B);
static_assert(number(TensorMapLayout::L2Promotion::k256B) == CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
static_assert(number(TensorMapLayout::Fill::kNan) == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
static_assert(kAbiEqual<decltype(F::library_load), decltype(&::cuLibraryLoadData)>);
static_assert(kAbiEqual<decltype(F::library_unload), decltype(&::cuLibraryUnload)>);
static_assert(kAbiEqual<decltype(F::library_get_module), decltype(&::cuLibraryGetModule)>);
static_assert(kAbiEqual<decltype(F::library_get_kernel), decltype(&::cuLibraryGetKernel)>);
static_assert(kAbiEqual<decltype(F::library_get_global), decltype(&::cuLibraryGetGlobal)>);
static_assert(kAbiEqual<decltype(F::kernel_get_function), decltype(&::cuKernelGetFunction)>);
#endif
#if CUDA_VERSION >= 12040
static_assert(kAbiEqual<decltype(F::function_load), decltype(&::cuFuncLoad)>);
static_assert(kAbiEqual<decltype(F::function_get_parameter), decltype(&::cuFuncGetParamInfo)>);
#endif

static_assert(kAbiEqual<decltype(F::texture_create), decltype(&::cuTexObjectCreate)>);
static_assert(kAbiEqual<decltype(F::texture_destroy), decltype(&::cuTexObjectDestroy)>);
static_assert(number(cuda_abi::ResourceType::kLinear) == CU_RESOURCE_TYPE_LINEAR);
static_assert(number(cuda_abi::ResourceType::kPitch2D) == CU_RESOURCE_TYPE_PITCH2D);
static_assert(sizeof(cuda_abi::ResourceDescription) == sizeof(CUDA_RESOURCE_DESC));
static_assert(offsetof(cuda_abi::ResourceDescription, resource) == offsetof(CUDA_RESOURCE_DESC, res));
static_assert(offsetof(cuda_abi::ResourceDescription, flags) == offsetof(CUDA_RESOURCE_DESC, flags));
static_assert(offsetof(cuda_abi::ResourceDescription, resource.linear.format) ==
              offsetof(CUDA_RESOURCE_DESC, res.linear.format));
static_assert(offsetof(cuda_abi::ResourceDescription, resource.linear.channels) ==
              offsetof(CUDA_RESOURCE_DESC, res.linear.numChannels));
static_assert(offsetof(cuda_abi::ResourceDescription, resource.linear.bytes) ==
              offsetof(CUDA_RESOURCE_DESC, res.linear.sizeInBytes));
static_assert(offsetof(cuda_abi::ResourceDescription, resource.pitch_2d.channels) ==
              offsetof(CUDA_RESOURCE_DESC, res.pitch2D.numChannels));
static_assert(offsetof(cuda_abi::ResourceDescription, resource.pitch_2d.width) ==
              offsetof(CUDA_RESOURCE_DESC, res.pitch2D.width));
static_assert(offsetof(cuda_abi::ResourceDescription, resource.pitch_2d.pitch) ==
              offsetof(CUDA_RESOURCE_DESC, res.pitch2D.pitchInBytes));
static_assert(sizeof(cuda_abi::TextureDescription) == sizeof(CUDA_TEXTURE_DESC));
static_assert(offsetof(cuda_abi::TextureDescription, filter) == offsetof(CUDA_TEXTURE_DESC, filterMode));
static_assert(offsetof(cuda_abi::TextureDescription, flags) == offsetof(CUDA_TEXTURE_DESC, flags));
static_assert(offsetof(cuda_abi::TextureDescription, border) == offsetof(CUDA_TEXTURE_DESC, borderColor));
static_assert(CU_TR_FILTER_MODE_POINT == 0 && CU_TR_FILTER_MODE_LINEAR == 1);
static_assert(cuda_abi::kReadAsInteger == CU_TRSF_READ_AS_INTEGER);
static_assert(cuda_abi::kNormalizedCoordinates == CU_TRSF_NORMALIZED_COORDINATES);
static_assert(number(TextureLayout::Format::kU8) == CU_AD_FORMAT_UNSIGNED_INT8);
static_assert(number(TextureLayout::Format::kU16) == CU_AD_FORMAT_UNSIGNED_INT16);
static_assert(number(TextureLayout::Format::kU32) == CU_AD_FORMAT_UNSIGNED_INT32);
static_assert(number(TextureLayout::Format::kI8) == CU_AD_FORMAT_SIGNED_INT8);
static_assert(number(TextureLayout::Format::kI16) == CU_AD_FORMAT_SIGNED_INT16);
static_assert(number(TextureLayout::Format::kI32) == CU_AD_FORMAT_SIGNED_INT32);
static_assert(number(TextureLayout::Format::kF16) == CU_AD_FORMAT_HALF);
static_assert(number(TextureLayout::Format::kF32) == CU_AD_FORMAT_FLOAT);
static_assert(number(TextureLayout::Address::kWrap) == CU_TR_ADDRESS_MODE_WRAP);
static_assert(number(TextureLayout::Address::kClamp) == CU_TR_ADDRESS_MODE_CLAMP);
static_assert(number(TextureLayout::Address::kMirror) == CU_TR_ADDRESS_MODE_MIRROR);
static_assert(number(TextureLayout::Address::kBorder) == CU_TR_ADDRESS_MODE_BORDER);

// The comparison itself distinguishes types.
static_assert(!kAbiEqual<int (*)(int), int (*)(long)>);
static_assert(!kAbiEqual<int (*)(int), int (*)(int, int)>);
static_assert(!kAbiEqual<int*, int>);

TEST(CudaDriverAbi, AgreesWithTheVendorsHeader) {
  SUCCEED() << "cuda.h of CUDA " << CUDA_VERSION;
}

}  // namespace
}  // namespace kiln::test

#else

TEST(CudaDriverAbi, AgreesWithTheVendorsHeader) {
  GTEST_SKIP() << "cuda.h was not found when the tests were built";
}

#endif
