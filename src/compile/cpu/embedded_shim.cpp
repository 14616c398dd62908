#include "compile/cpu/embedded_shim.h"

#include "kiln_embedded_shim.h"

namespace kiln {
namespace {

constexpr std::string_view kEmpty = "";
// Each inclusion has to win over the standard library's macro.
constexpr std::string_view kAssert =
    "#undef assert\n"
    "#ifdef NDEBUG\n"
    "#define assert(condition) ((void)0)\n"
    "#else\n"
    "#define assert(condition) kiln_assert(static_cast<bool>(condition), #condition, __FILE__, __LINE__)\n"
    "#endif\n";

}  // namespace

const std::vector<EmbeddedFile>& cpu_shim_parts() {
  static const std::vector<EmbeddedFile> parts = {
      {"worker_abi", embedded::kWorkerAbi},  {"language", embedded::kLanguage}, {"math", embedded::kMath},
      {"intrinsics", embedded::kIntrinsics}, {"atomics", embedded::kAtomics},   {"warp", embedded::kWarp},
      {"entry", embedded::kEntry},           {"split", embedded::kSplit}};
  return parts;
}

const std::vector<EmbeddedFile>& cpu_stand_in_headers() {
  static const std::vector<EmbeddedFile> headers = {
      {"cuda.h", kEmpty},
      {"cuda_runtime.h", kEmpty},
      {"cuda_runtime_api.h", kEmpty},
      {"device_launch_parameters.h", kEmpty},
      {"math_constants.h", kEmpty},
      {"assert.h", kAssert, true},
      {"cassert", kAssert, true},
      {"cooperative_groups.h", embedded::kCooperativeGroups},
      {"cooperative_groups/reduce.h", kEmpty},
      {"kiln/small_float.h", embedded::kSmallFloat},
      {"kiln/small_float_operators.h", embedded::kSmallFloatOperators},
      {"cuda_fp16.h", embedded::kFp16},
      {"cuda_bf16.h", embedded::kBf16},
      {"cuda_fp8.h", embedded::kFp8},
      {"kiln/curand_engines.h", embedded::kCurandEngines},
      {"curand_kernel.h", embedded::kCurandKernel},
      {"curand.h", kEmpty}};
  return headers;
}

}  // namespace kiln
