// Kiln's declarations of what NVTX and a profiler agree on against NVIDIA's, where nvtx3's headers are found
// when the tests are built.
#include "device/cuda/nvtx_abi.h"

#include <gtest/gtest.h>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>

#include "support/abi_equal.h"

namespace kiln::test {
namespace {

using nvtx_abi::CallbackModule;

template <class Number>
constexpr int number(Number value) {
  return static_cast<int>(value);
}

static_assert(number(CallbackModule::kCore) == NVTX_CB_MODULE_CORE);
static_assert(number(CallbackModule::kCuda) == NVTX_CB_MODULE_CUDA);
static_assert(number(CallbackModule::kOpenCl) == NVTX_CB_MODULE_OPENCL);
static_assert(number(CallbackModule::kCudaRuntime) == NVTX_CB_MODULE_CUDART);
static_assert(number(CallbackModule::kCore2) == NVTX_CB_MODULE_CORE2);
static_assert(number(CallbackModule::kSync) == NVTX_CB_MODULE_SYNC);
static_assert(nvtx_abi::kCoreSize == NVTX_CBID_CORE_SIZE);
static_assert(nvtx_abi::kCudaSize == NVTX_CBID_CUDA_SIZE);
static_assert(nvtx_abi::kOpenClSize == NVTX_CBID_OPENCL_SIZE);
static_assert(nvtx_abi::kCudaRuntimeSize == NVTX_CBID_CUDART_SIZE);
static_assert(nvtx_abi::kCore2Size == NVTX_CBID_CORE2_SIZE);
static_assert(nvtx_abi::kSyncSize == NVTX_CBID_SYNC_SIZE);
static_assert(nvtx_abi::kDomainRangePushEx == NVTX_CBID_CORE2_DomainRangePushEx);
static_assert(nvtx_abi::kDomainRangePop == NVTX_CBID_CORE2_DomainRangePop);
static_assert(nvtx_abi::kDomainCreateA == NVTX_CBID_CORE2_DomainCreateA);
static_assert(nvtx_abi::kCallbacksTable == NVTX_ETID_CALLBACKS);
static_assert(nvtx_abi::kVersionTable == NVTX_ETID_VERSIONINFO);
static_assert(nvtx_abi::kVersion == NVTX_VERSION);
static_assert(nvtx_abi::kAscii == NVTX_MESSAGE_TYPE_ASCII);

static_assert(std::is_same_v<nvtx_abi::FunctionTable, NvtxFunctionTable>);
static_assert(kAbiEqual<nvtx_abi::GetExportTable, NvtxGetExportTableFunc_t>);
static_assert(kAbiEqual<nvtx_abi::InitializeInjection, NvtxInitializeInjectionNvtxFunc_t>);
static_assert(kAbiEqual<nvtx_abi::DomainCreate, nvtxDomainCreateA_impl_fntype>);
static_assert(kAbiEqual<nvtx_abi::DomainRangePush, nvtxDomainRangePushEx_impl_fntype>);
static_assert(kAbiEqual<nvtx_abi::DomainRangePop, nvtxDomainRangePop_impl_fntype>);

using Callbacks = nvtx_abi::ExportTableCallbacks;
static_assert(sizeof(Callbacks) == sizeof(NvtxExportTableCallbacks));
static_assert(offsetof(Callbacks, get_module_function_table) ==
              offsetof(NvtxExportTableCallbacks, GetModuleFunctionTable));
static_assert(kAbiEqual<decltype(Callbacks::get_module_function_table),
                        decltype(NvtxExportTableCallbacks::GetModuleFunctionTable)>);

using Version = nvtx_abi::ExportTableVersionInfo;
static_assert(sizeof(Version) == sizeof(NvtxExportTableVersionInfo));
static_assert(offsetof(Version, version) == offsetof(NvtxExportTableVersionInfo, version));
static_assert(offsetof(Version, set_injection_version) ==
              offsetof(NvtxExportTableVersionInfo, SetInjectionNvtxVersion));

using Attributes = nvtx_abi::EventAttributes;
static_assert(sizeof(Attributes) == NVTX_EVENT_ATTRIB_STRUCT_SIZE);
static_assert(offsetof(Attributes, size) == offsetof(nvtxEventAttributes_t, size));
static_assert(offsetof(Attributes, category) == offsetof(nvtxEventAttributes_t, category));
static_assert(offsetof(Attributes, color_type) == offsetof(nvtxEventAttributes_t, colorType));
static_assert(offsetof(Attributes, color) == offsetof(nvtxEventAttributes_t, color));
static_assert(offsetof(Attributes, payload_type) == offsetof(nvtxEventAttributes_t, payloadType));
static_assert(offsetof(Attributes, payload) == offsetof(nvtxEventAttributes_t, payload));
static_assert(offsetof(Attributes, message_type) == offsetof(nvtxEventAttributes_t, messageType));
static_assert(offsetof(Attributes, message) == offsetof(nvtxEventAttributes_t, message));

TEST(NvtxAbi, TheNamesThatTheLoaderLooksForAreThoseOfTheHeaders) {
  EXPECT_STREQ(nvtx_abi::kPathVariable, "NVTX_INJECTION64_PATH");
  EXPECT_STREQ(nvtx_abi::kInitialize, "InitializeInjectionNvtx2");
}

}  // namespace
}  // namespace kiln::test
#else
TEST(NvtxAbi, IsProvedAgainstTheHeaders) {
  GTEST_SKIP() << "no nvtx3/nvToolsExt.h where the tests were built";
}
#endif
