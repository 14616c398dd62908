// Kiln's declarations of hipRTC's and comgr's interfaces against AMD's, where their headers are found when
// the tests are built.
#include "compile/hip/hiprtc_abi.h"

#include <gtest/gtest.h>

#if __has_include(<hip/hiprtc.h>)
#define __HIP_PLATFORM_AMD__ 1  // NOLINT(bugprone-reserved-identifier): asked for by the header
#include <hip/hiprtc.h>

#include "support/abi_equal.h"

namespace kiln::test {
namespace {

using F = hiprtc_abi::Functions;

static_assert(hiprtc_abi::kSuccess == HIPRTC_SUCCESS);
static_assert(hiprtc_abi::kOutOfMemory == HIPRTC_ERROR_OUT_OF_MEMORY);
static_assert(hiprtc_abi::kCompilation == HIPRTC_ERROR_COMPILATION);
static_assert(hiprtc_abi::kBuiltinOperationFailure == HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE);

static_assert(kAbiEqual<decltype(F::version), decltype(&::hiprtcVersion)>);
static_assert(kAbiEqual<decltype(F::get_error_string), decltype(&::hiprtcGetErrorString)>);
static_assert(kAbiEqual<decltype(F::create_program), decltype(&::hiprtcCreateProgram)>);
static_assert(kAbiEqual<decltype(F::destroy_program), decltype(&::hiprtcDestroyProgram)>);
static_assert(kAbiEqual<decltype(F::add_name_expression), decltype(&::hiprtcAddNameExpression)>);
static_assert(kAbiEqual<decltype(F::compile_program), decltype(&::hiprtcCompileProgram)>);
static_assert(kAbiEqual<decltype(F::get_lowered_name), decltype(&::hiprtcGetLoweredName)>);
static_assert(kAbiEqual<decltype(F::get_log_size), decltype(&::hiprtcGetProgramLogSize)>);
static_assert(kAbiEqual<decltype(F::get_log), decltype(&::hiprtcGetProgramLog)>);
static_assert(kAbiEqual<decltype(F::get_code_size), decltype(&::hiprtcGetCodeSize)>);
static_assert(kAbiEqual<decltype(F::get_code), decltype(&::hiprtcGetCode)>);

TEST(HiprtcAbi, AgreesWithTheVendorsHeader) {
  SUCCEED();
}

}  // namespace
}  // namespace kiln::test

#else

TEST(HiprtcAbi, AgreesWithTheVendorsHeader) {
  GTEST_SKIP() << "hip/hiprtc.h was not found when the tests were built";
}

#endif

#if __has_include(<amd_comgr.h>) || __has_include(<amd_comgr/amd_comgr.h>)
#if __has_include(<amd_comgr.h>)
#include <amd_comgr.h>
#else
#include <amd_comgr/amd_comgr.h>
#endif

#include "support/abi_equal.h"

namespace kiln::test {
namespace {

using C = comgr_abi::Functions;

static_assert(comgr_abi::kSuccess == AMD_COMGR_STATUS_SUCCESS);
static_assert(kAbiEqual<decltype(C::get_version), decltype(&::amd_comgr_get_version)>);
static_assert(kAbiEqual<decltype(C::get_isa_count), decltype(&::amd_comgr_get_isa_count)>);
static_assert(kAbiEqual<decltype(C::get_isa_name), decltype(&::amd_comgr_get_isa_name)>);
// A structure of one 64-bit member is passed as the member is.
static_assert(sizeof(amd_comgr_metadata_node_t) == sizeof(comgr_abi::MetadataNode));
static_assert(sizeof(amd_comgr_metadata_node_t::handle) == sizeof(comgr_abi::MetadataNode));

TEST(ComgrAbi, AgreesWithTheVendorsHeader) {
  SUCCEED();
}

}  // namespace
}  // namespace kiln::test

#else

TEST(ComgrAbi, AgreesWithTheVendorsHeader) {
  GTEST_SKIP() << "amd_comgr.h was not found when the tests were built";
}

#endif
