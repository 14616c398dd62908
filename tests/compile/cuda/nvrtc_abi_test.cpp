// Kiln's declarations of NVRTC's interface against NVIDIA's, where nvrtc.h is found when the tests are built.
#include "compile/cuda/nvrtc_abi.h"

#include <gtest/gtest.h>

#if __has_include(<nvrtc.h>)
#include <nvrtc.h>

#include "support/abi_equal.h"

namespace kiln::test {
namespace {

using F = nvrtc_abi::Functions;

static_assert(nvrtc_abi::kSuccess == NVRTC_SUCCESS);
static_assert(nvrtc_abi::kOutOfMemory == NVRTC_ERROR_OUT_OF_MEMORY);
static_assert(nvrtc_abi::kInvalidOption == NVRTC_ERROR_INVALID_OPTION);
static_assert(nvrtc_abi::kCompilation == NVRTC_ERROR_COMPILATION);
static_assert(nvrtc_abi::kBuiltinOperationFailure == NVRTC_ERROR_BUILTIN_OPERATION_FAILURE);
static_assert(nvrtc_abi::kNameExpressionNotValid == NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);

static_assert(kAbiEqual<decltype(F::version), decltype(&::nvrtcVersion)>);
static_assert(kAbiEqual<decltype(F::get_arch_count), decltype(&::nvrtcGetNumSupportedArchs)>);
static_assert(kAbiEqual<decltype(F::get_archs), decltype(&::nvrtcGetSupportedArchs)>);
static_assert(kAbiEqual<decltype(F::get_error_string), decltype(&::nvrtcGetErrorString)>);
static_assert(kAbiEqual<decltype(F::create_program), decltype(&::nvrtcCreateProgram)>);
static_assert(kAbiEqual<decltype(F::destroy_program), decltype(&::nvrtcDestroyProgram)>);
static_assert(kAbiEqual<decltype(F::add_name_expression), decltype(&::nvrtcAddNameExpression)>);
static_assert(kAbiEqual<decltype(F::compile_program), decltype(&::nvrtcCompileProgram)>);
static_assert(kAbiEqual<decltype(F::get_lowered_name), decltype(&::nvrtcGetLoweredName)>);
static_assert(kAbiEqual<decltype(F::get_log_size), decltype(&::nvrtcGetProgramLogSize)>);
static_assert(kAbiEqual<decltype(F::get_log), decltype(&::nvrtcGetProgramLog)>);
static_assert(kAbiEqual<decltype(F::get_cubin_size), decltype(&::nvrtcGetCUBINSize)>);
static_assert(kAbiEqual<decltype(F::get_cubin), decltype(&::nvrtcGetCUBIN)>);
static_assert(kAbiEqual<decltype(F::get_ptx_size), decltype(&::nvrtcGetPTXSize)>);
static_assert(kAbiEqual<decltype(F::get_ptx), decltype(&::nvrtcGetPTX)>);

TEST(NvrtcAbi, AgreesWithTheVendorsHeader) {
  SUCCEED();
}

}  // namespace
}  // namespace kiln::test

#else

TEST(NvrtcAbi, AgreesWithTheVendorsHeader) {
  GTEST_SKIP() << "nvrtc.h was not found when the tests were built";
}

#endif
