// The part of hipRTC and comgr that Kiln calls, over NVRTC: HIP C++ in, a code object with a cubin inside
// out.
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "compile/cuda/nvrtc_program.h"
#include "compile/hip/hiprtc_abi.h"
#include "hip_shim/code_object_writer.h"
#include "hip_shim/nvidia.h"
#include "hip_shim/ptxas_log.h"

#define KILN_SHIM extern "C" __attribute__((visibility("default")))

namespace {

using namespace kiln;
using namespace kiln::hip_shim;
using hiprtc_abi::Result;

constexpr const char* kIsaPrefix = "amdgcn-amd-amdhsa--";

/// HIP's names in CUDA's terms.
constexpr const char* kPrelude = R"(#define __HIP_PLATFORM_NVIDIA__ 1
#define __shfl_down(value, delta) __shfl_down_sync(0xffffffffu, value, delta)
#define __shfl_xor(value, mask) __shfl_xor_sync(0xffffffffu, value, mask)
#define unsafeAtomicAdd atomicAdd
#define __builtin_amdgcn_fence(order, scope) __threadfence_block()
#define __builtin_amdgcn_wave_barrier() __syncwarp()
#define __builtin_amdgcn_rsq(a) rsqrt(a)
)";

struct ShimProgram {
  RtcUnit unit;
  std::string name;
  std::vector<std::string> name_expressions;
  std::map<std::string, std::string> lowered_names;
  std::string log, code;
};

/// No exception may leave a C interface: its text is the log.
template <class Body>
Result guarded(ShimProgram* program, Body&& body) {
  try {
    return body();
  } catch (const std::exception& error) {
    program->log = error.what();
    return hiprtc_abi::kBuiltinOperationFailure;
  }
}

std::vector<std::string> nvrtc_options(int count, const char** options) {
  std::vector<std::string> translated = {"-arch=" + cuda_arch(), "--ptxas-options=-v"};
  for (int i = 0; i < count; ++i) {
    const std::string option = options[i];
    if (option.starts_with("--offload-arch=") || option == "-munsafe-fp-atomics") continue;
    translated.push_back(option == "-ffast-math" ? "--use_fast_math" : option);
  }
  return translated;
}

Result compile(ShimProgram& shim, const std::vector<std::string>& options) {
  NvrtcProgram program(nvrtc(), shim.unit, shim.name);
  for (const std::string& expression : shim.name_expressions) program.add_name(expression);
  const nvrtc_abi::Result result = program.compile(options, std::chrono::milliseconds(0));
  const std::string log = program.log();
  shim.log = without_ptxas_lines(log);
  if (result != nvrtc_abi::kSuccess) return result;
  for (const std::string& expression : shim.name_expressions)
    shim.lowered_names[expression] = program.lowered_name(expression);
  shim.code = write_code_object(kIsa, kWavefrontSize, kernel_notes(program.ptx(), log), program.cubin());
  return hiprtc_abi::kSuccess;
}

}  // namespace

KILN_SHIM Result hiprtcVersion(int* major, int* minor) {
  *major = 0;
  *minor = 0;
  return hiprtc_abi::kSuccess;
}
KILN_SHIM const char* hiprtcGetErrorString(Result result) {
  return result == hiprtc_abi::kCompilation ? "HIPRTC_ERROR_COMPILATION" : "an error of the test shim";
}
KILN_SHIM Result hiprtcCreateProgram(ShimProgram** program, const char* source, const char* name,
                                     int header_count, const char** headers, const char** header_names) {
  auto made = std::make_unique<ShimProgram>();
  made->unit.text = std::string(kPrelude) + source;
  made->name = name;
  for (int i = 0; i < header_count; ++i) made->unit.headers.emplace_back(header_names[i], headers[i]);
  *program = made.release();
  return hiprtc_abi::kSuccess;
}
KILN_SHIM Result hiprtcDestroyProgram(ShimProgram** program) {
  const std::unique_ptr<ShimProgram> owned(*program);
  *program = nullptr;
  return hiprtc_abi::kSuccess;
}
KILN_SHIM Result hiprtcAddNameExpression(ShimProgram* program, const char* expression) {
  program->name_expressions.emplace_back(expression);
  return hiprtc_abi::kSuccess;
}
KILN_SHIM Result hiprtcCompileProgram(ShimProgram* program, int option_count, const char** options) {
  return guarded(program, [&] { return compile(*program, nvrtc_options(option_count, options)); });
}
KILN_SHIM Result hiprtcGetLoweredName(ShimProgram* program, const char* expression, const char** name) {
  *name = program->lowered_names.at(expression).c_str();
  return hiprtc_abi::kSuccess;
}
KILN_SHIM Result hiprtcGetProgramLogSize(ShimProgram* program, std::size_t* bytes) {
  *bytes = program->log.size() + 1;
  return hiprtc_abi::kSuccess;
}
KILN_SHIM Result hiprtcGetProgramLog(ShimProgram* program, char* log) {
  std::memcpy(log, program->log.c_str(), program->log.size() + 1);
  return hiprtc_abi::kSuccess;
}
KILN_SHIM Result hiprtcGetCodeSize(ShimProgram* program, std::size_t* bytes) {
  *bytes = program->code.size();
  return hiprtc_abi::kSuccess;
}
KILN_SHIM Result hiprtcGetCode(ShimProgram* program, char* code) {
  std::memcpy(code, program->code.data(), program->code.size());
  return hiprtc_abi::kSuccess;
}

KILN_SHIM void amd_comgr_get_version(std::size_t* major, std::size_t* minor) {
  *major = 0;
  *minor = 0;
}
KILN_SHIM comgr_abi::Status amd_comgr_get_isa_count(std::size_t* count) {
  *count = 1;
  return comgr_abi::kSuccess;
}
KILN_SHIM comgr_abi::Status amd_comgr_get_isa_name(std::size_t /*index*/, const char** name) {
  static const std::string full = std::string(kIsaPrefix) + kIsa;
  *name = full.c_str();
  return comgr_abi::kSuccess;
}
KILN_SHIM comgr_abi::Status amd_comgr_get_isa_metadata(const char* name, comgr_abi::MetadataNode* /*node*/) {
  return std::string(name) == std::string(kIsaPrefix) + kIsa ? comgr_abi::kSuccess : 1;
}
KILN_SHIM comgr_abi::Status amd_comgr_destroy_metadata(comgr_abi::MetadataNode /*node*/) {
  return comgr_abi::kSuccess;
}
