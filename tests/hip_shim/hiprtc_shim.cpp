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

/// What hipRTC and its compiler have built in, in CUDA's terms.
constexpr const char* kPrelude = R"(#define __HIP_PLATFORM_NVIDIA__ 1
#define __shfl_down(value, delta) __shfl_down_sync(0xffffffffu, value, delta)
#define __shfl_xor(value, mask) __shfl_xor_sync(0xffffffffu, value, mask)
#define unsafeAtomicAdd atomicAdd
#define __builtin_amdgcn_fence(order, scope) __threadfence_block()
#define __builtin_amdgcn_wave_barrier() __syncwarp()
#define __builtin_amdgcn_rsq(a) rsqrt(a)
#define __builtin_memcpy memcpy
#define __builtin_trap __trap
#define __builtin_offsetof(type, member) ((size_t)__INTADDR__(&(((type*)0)->member)))
#define __builtin_inff() __builtin_bit_cast(float, 0x7f800000)
#define __builtin_nanf(text) __builtin_bit_cast(float, 0x7fffffff)
#define __builtin_huge_valf __builtin_inff
#define __builtin_inf() __builtin_bit_cast(double, 0x7ff0000000000000)
#define __builtin_nan(text) __builtin_bit_cast(double, 0x7fffffffffffffff)
#define __builtin_huge_val __builtin_inf
#define __builtin_fabs fabs
#define __builtin_fabsf fabsf
#define __builtin_sqrt sqrt
#define __builtin_sqrtf sqrtf
#define __builtin_ceilf ceilf
#define __builtin_floorf floorf
#define __builtin_truncf truncf
#define __builtin_rintf rintf
#define __builtin_rint rint
#define __builtin_islessgreater(a, b) ((a) < (b) || (a) > (b))
#define __FLT_MIN__ 1.17549435e-38f
#define __FLT_MAX__ 3.40282347e+38f
#define __FLT_EPSILON__ 1.19209290e-7f
#define __DBL_MIN__ 2.2250738585072014e-308
#define __DBL_MAX__ 1.7976931348623157e+308
#define __DBL_EPSILON__ 2.2204460492503131e-16
typedef int int32_t;
typedef long int64_t;
typedef unsigned int uint32_t, uint;
typedef unsigned long uint64_t, ulong;
typedef unsigned short ushort;
namespace std {
using ::int32_t;
using ::int64_t;
using ::uint32_t;
using ::uint64_t;
}
)";

/// HIP's vectors have operators. These are templates, so functions of the text's own are preferred.
std::string vector_operators() {
  std::string text = "namespace kiln_shim {\ntemplate <class V>\nstruct Vector {};\n}\n";
  const std::string_view members = "xyzw";
  for (const char* type : {"float", "double", "int"}) {
    for (std::size_t size = 2; size <= members.size(); ++size) {
      if (std::string(type) == "double" && size == members.size()) continue;  // deprecated in CUDA 13
      const std::string vector = type + std::to_string(size);
      text += "template <>\nstruct kiln_shim::Vector<" + vector + "> {\n  typedef " + vector + " type;\n";
      for (const char* sign : {"+", "-", "*", "/"}) {
        const std::string name = sign == std::string("+")   ? "sum"
                                 : sign == std::string("-") ? "difference"
                                 : sign == std::string("*") ? "product"
                                                            : "quotient";
        text += "  __device__ static type " + name + "(type a, type b) { return {";
        for (std::size_t i = 0; i < size; ++i)
          text += std::string(i > 0 ? ", " : "") + "a." + members[i] + " " + sign + " b." + members[i];
        text += "}; }\n";
      }
      text += "};\n";
    }
  }
  for (const auto& [sign, name] :
       {std::pair{"+", "sum"}, {"-", "difference"}, {"*", "product"}, {"/", "quotient"}}) {
    const std::string call = "kiln_shim::Vector<V>::" + std::string(name) + "(a, b)";
    text += "template <class V>\n__device__ typename kiln_shim::Vector<V>::type operator" +
            std::string(sign) + "(V a, V b) { return " + call + "; }\n" +
            "template <class V>\n__device__ typename kiln_shim::Vector<V>::type& operator" + sign +
            "=(V& a, V b) { return a = " + call + "; }\n";
  }
  return text;
}

/// hipRTC has half built in; here CUDA's own header has it, which declares a bfloat16 beside Kiln's.
std::string half_header() {
  const auto files = make_real_file_system();
  const auto path = cuda_headers().find("cuda_fp16.h", *files);
  if (!path) return "#error \"the test shim needs CUDA's cuda_fp16.h\"\n";
  return "#pragma once\n#define __nv_bfloat16 kiln_shim_bfloat16\n#include \"" + path->string() +
         "\"\n#undef __nv_bfloat16\n";
}

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
  std::vector<std::string> translated = {"-arch=" + cuda_arch(), "--ptxas-options=-v", "-default-device"};
  for (const std::filesystem::path& folder : cuda_headers().folders)
    translated.push_back("-I" + folder.string());
  for (int i = 0; i < count; ++i) {
    const std::string option = options[i];
    if (option.starts_with("--offload-arch=") || option == "-munsafe-fp-atomics" || option == "-nostdinc" ||
        option == "-fgpu-defer-diag" || option == "-Wno-register")
      continue;
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
  made->unit.text = kPrelude + vector_operators() + source;
  made->name = name;
  for (int i = 0; i < header_count; ++i) {
    const bool is_half = header_names[i] == std::string("cuda_fp16.h");
    made->unit.headers.emplace_back(header_names[i], is_half ? half_header() : headers[i]);
  }
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
