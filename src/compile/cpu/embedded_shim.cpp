#include "compile/cpu/embedded_shim.h"

#include <array>
#include <map>
#include <utility>

#include "kiln_embedded_portable.h"
#include "kiln_embedded_shared_shim.h"
#include "kiln_embedded_shim.h"
#include "specialize/host_libraries.h"

namespace kiln {
namespace {

constexpr std::string_view kEmpty;
constexpr std::string_view kCurand = "#include \"kiln/curand_kernel.h\"\n#include \"kiln/curand_sobol.h\"\n";
constexpr std::string_view kHipVectorsAndGroups =
    "#include \"kiln/hip_vectors.h\"\n#include \"cooperative_groups.h\"\n";
constexpr std::string_view kCooperativeGroups = "#include \"cooperative_groups.h\"\n";
// Without streams, whose static objects a kernel's library cannot have.
constexpr std::string_view kDeviceSideOfTheLibrary =
    "#include <algorithm>\n#include <array>\n#include <cassert>\n#include <cfloat>\n#include <climits>\n"
    "#include <cmath>\n#include <complex>\n#include <cstdint>\n#include <cstdio>\n#include <cstdlib>\n"
    "#include <cstring>\n#include <functional>\n#include <limits>\n#include <numeric>\n#include <tuple>\n"
    "#include <type_traits>\n#include <utility>\n";
// Each inclusion has to replace the standard library's macro.
constexpr std::string_view kAssert =
    "#undef assert\n"
    "#ifdef NDEBUG\n"
    "#define assert(condition) ((void)0)\n"
    "#else\n"
    "#define assert(condition) (static_cast<bool>(condition) ? (void)0 : kiln_assert(false, #condition, "
    "__FILE__, "
    "__LINE__))\n"
    "#endif\n";

constexpr std::string_view kThrust = "#include \"kiln/thrust.h\"\n";
constexpr std::string_view kThrustAlgorithms = "#include \"kiln/thrust_seq.h\"\n";
// The limits of integers and erfcinv are what a distribution needs.
constexpr std::string_view kThrustRandom = "#include <limits>\n#include \"kiln/thrust_random.h\"\n";
/// Headers of the standard library that <cuda/std/...> has, by the same names; <bit> and <span> are the
/// shim's.
constexpr std::array<std::string_view, 28> kStandardHeaders = {"algorithm", "array",
                                                               "cassert",   "cctype",
                                                               "cfloat",    "chrono",
                                                               "climits",   "cmath",
                                                               "complex",   "cstddef",
                                                               "cstdint",   "cstdlib",
                                                               "cstring",   "ctime",
                                                               "iterator",  "limits",
                                                               "numeric",   "memory",
                                                               "new",       "optional",
                                                               "ratio",     "string_view",
                                                               "tuple",     "utility",
                                                               "variant",   "initializer_list",
                                                               "exception", "type_traits"};

/// What <cuda/std/NAME> is, by NAME.
const std::map<std::string, std::string>& standard_headers() {
  static const std::map<std::string, std::string> texts = [] {
    std::map<std::string, std::string> made;
    for (const std::string_view name : kStandardHeaders)
      made[std::string(name)] = "#include <" + std::string(name) + ">\n#include \"kiln/cuda_std.h\"\n";
    return made;
  }();
  return texts;
}

// The parts in kiln/ include nothing (make_expansion_unit leaves them out).
constexpr std::string_view kMma =
    "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n#include \"kiln/wmma_fragments.h\"\n#include "
    "\"kiln/wmma.h\"\n";
constexpr std::string_view kCudaAtomic =
    "#include <atomic>\n#include \"kiln/scopes.h\"\n#include \"kiln/atomic.h\"\n";
constexpr std::string_view kCudaBarrier =
    "#include <atomic>\n#include \"kiln/scopes.h\"\n#include \"kiln/barrier.h\"\n";
constexpr std::string_view kCudaSemaphore =
    "#include <atomic>\n#include \"kiln/scopes.h\"\n#include \"kiln/semaphore.h\"\n";
constexpr std::string_view kCudaPipeline = "#include <cuda/barrier>\n#include \"kiln/pipeline.h\"\n";
constexpr std::string_view kMdspan =
    "#include <array>\n#include \"kiln/cuda_std.h\"\n#include \"kiln/mdspan.h\"\n";
constexpr std::string_view kCudaStd = "#include \"kiln/cuda_std.h\"\n";

/// Any header of CUB provides all of CUB.
constexpr std::string_view kCub =
    "#include \"kiln/cuda_functional.h\"\n"
    "#include \"kiln/cub_warp.h\"\n"
    "#include \"kiln/cub_warp_data.h\"\n"
    "#include \"kiln/cub_block.h\"\n"
    "#include \"kiln/cub_block_data.h\"\n"
    "#include \"kiln/cub_block_runs.h\"\n"
    "#include \"kiln/cub_block_sort.h\"\n";
constexpr std::array<std::string_view, 51> kCubHeaders = {"cub.cuh",
                                                          "block/block_adjacent_difference.cuh",
                                                          "block/block_discontinuity.cuh",
                                                          "block/block_exchange.cuh",
                                                          "block/block_histogram.cuh",
                                                          "block/block_load.cuh",
                                                          "block/block_merge_sort.cuh",
                                                          "block/block_radix_sort.cuh",
                                                          "block/block_reduce.cuh",
                                                          "block/block_run_length_decode.cuh",
                                                          "block/block_scan.cuh",
                                                          "block/block_shuffle.cuh",
                                                          "block/block_store.cuh",
                                                          "config.cuh",
                                                          "device/device_adjacent_difference.cuh",
                                                          "device/device_copy.cuh",
                                                          "device/device_for.cuh",
                                                          "device/device_histogram.cuh",
                                                          "device/device_memcpy.cuh",
                                                          "device/device_merge.cuh",
                                                          "device/device_merge_sort.cuh",
                                                          "device/device_partition.cuh",
                                                          "device/device_radix_sort.cuh",
                                                          "device/device_reduce.cuh",
                                                          "device/device_run_length_encode.cuh",
                                                          "device/device_scan.cuh",
                                                          "device/device_segmented_radix_sort.cuh",
                                                          "device/device_segmented_reduce.cuh",
                                                          "device/device_segmented_sort.cuh",
                                                          "device/device_select.cuh",
                                                          "device/device_spmv.cuh",
                                                          "device/device_transform.cuh",
                                                          "iterator/cache_modified_input_iterator.cuh",
                                                          "thread/thread_load.cuh",
                                                          "thread/thread_operators.cuh",
                                                          "thread/thread_reduce.cuh",
                                                          "thread/thread_store.cuh",
                                                          "util_allocator.cuh",
                                                          "util_arch.cuh",
                                                          "util_debug.cuh",
                                                          "util_device.cuh",
                                                          "util_macro.cuh",
                                                          "util_ptx.cuh",
                                                          "util_type.cuh",
                                                          "version.cuh",
                                                          "warp/warp_exchange.cuh",
                                                          "warp/warp_load.cuh",
                                                          "warp/warp_merge_sort.cuh",
                                                          "warp/warp_reduce.cuh",
                                                          "warp/warp_scan.cuh",
                                                          "warp/warp_store.cuh"};

/// Headers of CUDA's libraries for the host, of which device code has at most types of numbers.
constexpr std::string_view kFft = "#include \"kiln/fft_types.h\"\n";
constexpr std::string_view kFftTypes =
    "#include \"cuComplex.h\"\ntypedef float cufftReal;\ntypedef double cufftDoubleReal;\n"
    "typedef cuComplex cufftComplex;\ntypedef cuDoubleComplex cufftDoubleComplex;\n"
    "typedef int cufftHandle;\nenum cufftResult { CUFFT_SUCCESS };\n"
    "enum cufftType { CUFFT_C2C = 0x29, CUFFT_R2C = 0x2a, CUFFT_C2R = 0x2c, CUFFT_Z2Z = 0x69, CUFFT_D2Z = "
    "0x6a, "
    "CUFFT_Z2D = 0x6c };\n";
constexpr std::string_view kComplex =
    "#include \"cuComplex.h\"\ntypedef struct cusolverDnContext* cusolverDnHandle_t;\n"
    "typedef struct cusolverSpContext* cusolverSpHandle_t;\n";
constexpr std::string_view kCurandOfHost = "typedef struct curandGenerator_st* curandGenerator_t;\n";
constexpr std::string_view kBlas = "#include \"kiln/blas_types.h\"\n";
constexpr std::string_view kBlasTypes =
    "#include \"cuComplex.h\"\n#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n"
    "typedef struct cublasContext* cublasHandle_t;\nenum cublasStatus_t { CUBLAS_STATUS_SUCCESS };\n"
    "typedef struct cusparseContext* cusparseHandle_t;\n";
constexpr std::array<std::string_view, 81> kHostHeaders = {
    "cudaTypedefs.h",
    "cuda_gl_interop.h",
    "cuda_egl_interop.h",
    "cuda_vdpau_interop.h",
    "cudaGL.h",
    "cudaEGL.h",
    "cudaProfiler.h",
    "cuda_profiler_api.h",
    "nvml.h",
    "nvrtc.h",
    "nppi.h",
    "npps.h",
    "npp.h",
    "nvToolsExt.h",
    "nvToolsExtCuda.h",
    "nvToolsExtCudaRt.h",
    "nvtx3/nvToolsExt.h",
    "thrust/device_ptr.h",
    "thrust/device_vector.h",
    "thrust/host_vector.h",
    "thrust/iterator/constant_iterator.h",
    "thrust/iterator/counting_iterator.h",
    "thrust/iterator/permutation_iterator.h",
    "thrust/iterator/transform_iterator.h",
    "thrust/iterator/zip_iterator.h",
    "thrust/version.h",
    "thrust/detail/config.h",
    "thrust/detail/copy.inl",
    "thrust/detail/raw_pointer_cast.h",
    "thrust/detail/raw_reference_cast.h",
    "thrust/detail/type_traits.h",
    "thrust/detail/vector_base.h",
    "thrust/device_free.h",
    "thrust/device_malloc.h",
    "thrust/device_new.h",
    "thrust/iterator/discard_iterator.h",
    "thrust/iterator/iterator_traits.h",
    "thrust/iterator/reverse_iterator.h",
    "thrust/memory.h",
    "thrust/mr/allocator.h",
    "thrust/mr/device_memory_resource.h",
    "thrust/shuffle.h",
    "thrust/system/cpp/execution_policy.h",
    "thrust/system/cpp/vector.h",
    "thrust/system/cuda/error.h",
    "thrust/system/cuda/execution_policy.h",
    "thrust/system/cuda/experimental/pinned_allocator.h",
    "thrust/system/cuda/memory.h",
    "thrust/system/cuda/memory_resource.h",
    "thrust/system/cuda/vector.h",
    "thrust/system/hip/execution_policy.h",
    "thrust/system/omp/execution_policy.h",
    "thrust/system/omp/vector.h",
    "thrust/system/tbb/execution_policy.h",
    "thrust/system/tbb/vector.h",
    "thrust/system_error.h",
    "thrust/universal_vector.h",
    "thrust/async/copy.h",
    "thrust/async/reduce.h",
    "thrust/device_allocator.h",
    "thrust/device_delete.h",
    "thrust/device_make_unique.h",
    "thrust/device_malloc_allocator.h",
    "thrust/device_new_allocator.h",
    "thrust/device_reference.h",
    "thrust/detail/pointer.h",
    "thrust/detail/util/align.h",
    "thrust/iterator/iterator_adaptor.h",
    "thrust/iterator/iterator_facade.h",
    "thrust/iterator/tabulate_output_iterator.h",
    "thrust/iterator/transform_input_output_iterator.h",
    "thrust/iterator/transform_output_iterator.h",
    "thrust/mr/memory_resource.h",
    "thrust/mr/new.h",
    "thrust/mr/universal_memory_resource.h",
    "thrust/per_device_resource.h",
    "thrust/type_traits/is_contiguous_iterator.h",
    "thrust/uninitialized_fill.h",
    "thrust/uninitialized_copy.h",
    "thrust/universal_allocator.h",
    "thrust/universal_ptr.h"};
/// nvcc includes these, or they are parts of what it includes: the shim has their content.
constexpr std::array<std::string_view, 39> kHeadersOfLanguage = {"device_launch_parameters.h",
                                                                 "device_functions.h",
                                                                 "device_double_functions.h",
                                                                 "device_atomic_functions.h",
                                                                 "math_functions.h",
                                                                 "common_functions.h",
                                                                 "vector_types.h",
                                                                 "vector_functions.h",
                                                                 "driver_types.h",
                                                                 "driver_functions.h",
                                                                 "builtin_types.h",
                                                                 "channel_descriptor.h",
                                                                 "library_types.h",
                                                                 "host_defines.h",
                                                                 "host_config.h",
                                                                 "crt/host_defines.h",
                                                                 "device_types.h",
                                                                 "crt/device_fp128_functions.h",
                                                                 "crt/device_double_functions.hpp",
                                                                 "crt/device_functions.h",
                                                                 "crt/math_functions.h",
                                                                 "sm_20_atomic_functions.h",
                                                                 "sm_20_intrinsics.h",
                                                                 "sm_30_intrinsics.h",
                                                                 "sm_32_atomic_functions.h",
                                                                 "sm_32_intrinsics.h",
                                                                 "sm_35_atomic_functions.h",
                                                                 "sm_35_intrinsics.h",
                                                                 "sm_60_atomic_functions.h",
                                                                 "sm_61_intrinsics.h",
                                                                 "texture_types.h",
                                                                 "surface_types.h",
                                                                 "cuda_texture_types.h",
                                                                 "cuda_surface_types.h",
                                                                 "texture_fetch_functions.h",
                                                                 "texture_indirect_functions.h",
                                                                 "surface_functions.h",
                                                                 "surface_indirect_functions.h",
                                                                 "cuda_device_runtime_api.h"};
constexpr std::array<std::string_view, 9> kNumericHeaders = {
    "cublas.h",      "cublas_v2.h",  "cublasLt.h",   "cublasXt.h",       "cusparse.h",
    "cusparse_v2.h", "cusolverDn.h", "cusolverSp.h", "cusolver_common.h"};

std::vector<EmbeddedFile> make_stand_in_headers() {
  std::vector<EmbeddedFile> headers = {{"cuda.h", embedded::kCudaDriver},
                                       {"bits/stdc++.h", kDeviceSideOfTheLibrary},
                                       {"cuda_runtime.h", kEmpty},
                                       {"cuda_runtime_api.h", kEmpty},
                                       {"cuComplex.h", embedded::kCuComplex},
                                       {"math_constants.h", embedded::kConstants},
                                       {"nvfunctional", embedded::kNvfunctional},
                                       {"assert.h", kAssert, true},
                                       {"cassert", kAssert, true},
                                       {"cooperative_groups.h", embedded::kCooperativeGroups},
                                       {"cooperative_groups/reduce.h", kCooperativeGroups},
                                       {"cooperative_groups/scan.h", kCooperativeGroups},
                                       {"cooperative_groups/memcpy_async.h", kCooperativeGroups},
                                       {"kiln/small_float.h", embedded::kSmallFloat},
                                       {"kiln/small_float_operators.h", embedded::kSmallFloatOperators},
                                       {"cuda_fp16.h", embedded::kFp16},
                                       {"cuda_bf16.h", embedded::kBf16},
                                       {"cuda_fp8.h", embedded::kFp8},
                                       {"cuda_fp4.h", embedded::kFp4},
                                       {"cuda_fp6.h", embedded::kFp4},
                                       {"kiln/curand_engines.h", embedded::kCurandEngines},
                                       {"kiln/curand_jumps.h", embedded::kCurandJumps},
                                       {"kiln/curand_kernel.h", embedded::kCurandKernel},
                                       {"kiln/curand_sobol.h", embedded::kCurandSobol},
                                       {"curand_kernel.h", kCurand},
                                       {"curand.h", kCurandOfHost},
                                       {"kiln/cub_common.h", embedded::kCubCommon},
                                       {"kiln/cub_warp.h", embedded::kCubWarp},
                                       {"kiln/cub_warp_data.h", embedded::kCubWarpData},
                                       {"kiln/cub_block.h", embedded::kCubBlock},
                                       {"kiln/cub_block_data.h", embedded::kCubBlockData},
                                       {"kiln/cub_block_runs.h", embedded::kCubBlockRuns},
                                       {"kiln/cub_block_sort.h", embedded::kCubBlockSort},
                                       {"kiln/cuda_functional.h", embedded::kCudaFunctional},
                                       {"kiln/texture.h", embedded::kTexture},
                                       {"kiln/thrust.h", embedded::kThrust},
                                       {"kiln/thrust_seq.h", embedded::kThrustSeq},
                                       {"kiln/hip_vectors.h", embedded::kHipVectors},
                                       {"kiln/hip_vectors_and_groups.h", kHipVectorsAndGroups},
                                       {"kiln/helper_math.h", embedded::kHelperMath},
                                       {"thrust/complex.h", embedded::kThrustComplex},
                                       {"kiln/thrust_random.h", embedded::kThrustRandom},
                                       {"thrust/random.h", kThrustRandom},
                                       {"thrust/pair.h", kThrust},
                                       {"thrust/tuple.h", kThrust},
                                       {"thrust/functional.h", kThrust},
                                       {"kiln/blas_types.h", kBlasTypes},
                                       {"kiln/fft_types.h", kFftTypes},
                                       {"cufft.h", kFft},
                                       {"cufftXt.h", kFft},
                                       {"cufftw.h", kFft},
                                       {"mma.h", kMma},
                                       {"kiln/wmma_fragments.h", embedded::kWmmaFragments},
                                       {"kiln/wmma.h", embedded::kWmma},
                                       {"kiln/ptx_matrix.h", embedded::kPtxMatrix},
                                       {"kiln/ptx_small_numbers.h", embedded::kPtxSmallNumbers},
                                       {"kiln/scopes.h", embedded::kScopes},
                                       {"kiln/atomic.h", embedded::kAtomic},
                                       {"kiln/barrier.h", embedded::kBarrier},
                                       {"kiln/pipeline.h", embedded::kPipeline},
                                       {"kiln/cuda_std.h", embedded::kCudaStd},
                                       {"cuda/cmath", embedded::kCudaCmath},
                                       {"cuda/std/mdspan", kMdspan},
                                       {"kiln/mdspan.h", embedded::kMdspan},
                                       {"cuda_pipeline.h", embedded::kPipelinePrimitives},
                                       {"cuda_pipeline_primitives.h", embedded::kPipelinePrimitives},
                                       {"cuda/atomic", kCudaAtomic},
                                       {"cuda/std/atomic", kCudaAtomic},
                                       {"cuda/barrier", kCudaBarrier},
                                       {"cuda/std/barrier", kCudaBarrier},
                                       {"cuda/pipeline", kCudaPipeline},
                                       {"kiln/semaphore.h", embedded::kSemaphore},
                                       {"cuda/semaphore", kCudaSemaphore},
                                       {"cuda/std/semaphore", kCudaSemaphore},
                                       {"cuda/latch", kCudaSemaphore},
                                       {"cuda/std/latch", kCudaSemaphore},
                                       {"cuda_awbarrier.h", embedded::kAwbarrier},
                                       {"cuda_awbarrier_helpers.h", embedded::kAwbarrier},
                                       {"cuda_awbarrier_primitives.h", embedded::kAwbarrier}};
  for (const char* name :
       {"cuda/functional", "cuda/std/functional", "cuda/std/bit", "cuda/std/span", "cuda/std/concepts",
        "cuda/std/version", "cuda/std/numbers", "cuda/type_traits", "cuda/version"})
    headers.push_back({name, kCudaStd});
  for (const auto& [name, text] : standard_headers()) headers.push_back({"cuda/std/" + name, text});
  for (const char* name : {"linear_congruential_engine", "linear_feedback_shift_engine",
                           "subtract_with_carry_engine", "discard_block_engine", "xor_combine_engine",
                           "normal_distribution", "uniform_int_distribution", "uniform_real_distribution"})
    headers.push_back({"thrust/random/" + std::string(name) + ".h", kThrustRandom});
  for (const char* part :
       {"discrete", "discrete2", "globals", "lognormal", "mrg32k3a", "normal", "philox4x32_x", "poisson",
        "precalc", "uniform", "mtgp32", "mtgp32_host", "mtgp32_kernel"})
    headers.push_back({"curand_" + std::string(part) + ".h", kCurand});
  for (const std::string_view name : kHeadersOfLanguage) headers.push_back({std::string(name), kEmpty});
  for (const std::string_view name : kHostHeaders) {
    const bool thrust = name.starts_with("thrust/");
    headers.push_back({std::string(name), thrust ? kThrust : kEmpty});
  }
  for (const std::string_view name : thrust_headers_of_algorithms())
    headers.push_back({std::string(name), kThrustAlgorithms});
  for (const std::string_view name : kNumericHeaders) {
    const bool solver = name.starts_with("cusolver");
    headers.push_back({std::string(name), solver ? kComplex : kBlas});
  }
  for (const std::string_view name : kCubHeaders) headers.push_back({"cub/" + std::string(name), kCub});
  return headers;
}

// Not a list of initialisers: g++ 12 warns of what destroys one that is half made.
std::vector<ShimPart> make_shim_parts() {
  std::vector<ShimPart> parts;
  const auto add = [&](std::string name, std::string_view text, std::vector<std::string_view> used_where = {},
                       std::vector<std::string_view> written_where = {},
                       std::vector<std::string_view> names = {}) {
    parts.push_back(
        {{std::move(name), text}, std::move(used_where), std::move(written_where), std::move(names)});
  };
  add("worker_abi", embedded::kWorkerAbi);
  add("language", embedded::kLanguage);
  add("math", embedded::kMath);
  add("gnu_constants", embedded::kGnuConstants, {"M_"});
  add("aligned_vectors", embedded::kAlignedVectors, {"4_16a", "4_32a"});
  add("relations", embedded::kRelations,
      {"isgreater", "isless", "isunordered", "isnormal", "fpclassify", "__isnan", "__isinf", "__finite",
       "nexttoward"});
  add("sign_bits", embedded::kSignBits, {"__signbit", "kiln_sign_bit"});
  add("clang_builtins", embedded::kClangBuiltins,
      {"__builtin_rotate", "__builtin_bitreverse", "__builtin_elementwise"});
  // nvcc includes these by itself.
  add("math_of_std", "#include <cmath>\n",
      {"std::abs",       "std::fabs",      "std::sqrt",  "std::cbrt",    "std::exp",      "std::log",
       "std::pow",       "std::sin",       "std::cos",   "std::tan",     "std::asin",     "std::acos",
       "std::atan",      "std::sinh",      "std::cosh",  "std::tanh",    "std::erf",      "std::floor",
       "std::ceil",      "std::round",     "std::trunc", "std::rint",    "std::fma",      "std::fmin",
       "std::fmod",      "std::hypot",     "std::isnan", "std::isinf",   "std::isfin",    "std::isgr",
       "std::isle",      "std::isnorm",    "std::isuno", "std::signbit", "std::copysign", "std::lround",
       "std::nearbyint", "std::remainder", "std::ldexp", "FP_NAN",       "FP_INF",        "FP_ZERO",
       "FP_SUB",         "FP_NORMAL"});
  add("algorithms_of_std", "#include <algorithm>\n", {"std::max", "std::min", "std::swap"});
  add("limits_of_std", "#include <limits>\n", {"std::numeric_limits"});
  add("utilities_of_std", "#include <utility>\n",
      {"std::move", "std::forward", "std::pair", "std::make_pair", "using namespace std"});
  add("types_of_std", "#include <type_traits>\n",
      {"std::is_", "std::enable_if", "std::conditional", "std::remove_", "std::decay", "std::make_unsigned",
       "std::make_signed", "std::common_type", "std::integral_constant", "std::true_type", "std::false_type",
       "std::underlying_type", "using namespace std"});
  // Headers of the host that are left out include these.
  add("limits_of_reals", "#include <cfloat>\n", {"FLT_", "DBL_"});
  add("limits_of_integers", "#include <climits>\n",
      {"CHAR_", "SCHAR_", "UCHAR_", "SHRT_", "USHRT_", "INT_M", "UINT_MAX", "LONG_M", "ULONG_MAX", "LLONG_M",
       "ULLONG_MAX"});
  add("memory_of_std", "#include <cstring>\n", {"std::mem"});
  add("integers", embedded::kIntegers, {}, {},
      {"__popc",    "__clz",       "__ffs",     "__brev",    "__byte_perm", "__funnelshift",   "__mul",
       "__umul",    "__sad",       "__usad",    "__fns",     "__hadd",      "__rhadd",         "__uhadd",
       "__urhadd",  "__dp",        "__float2",  "__double2", "__saturate",  "kiln_to_integer", "kiln_prmt",
       "kiln_lop3", "kiln_packed", "kiln_shfl", "kiln_ptx",  "#include"});
  add("intrinsics", embedded::kIntrinsics, {}, {},
      {"__f",
       "__int",
       "__uint",
       "__double",
       "__longlong",
       "__ll",
       "__ull",
       "__hiloint",
       "__dadd",
       "__dsub",
       "__dmul",
       "__ddiv",
       "__drcp",
       "__dsqrt",
       "__ld",
       "__cvta",
       "__st",
       "__prof",
       "clock",
       "__wrap_clock",
       "fdivide",
       "__nv_bswap",
       "kiln_double",
       "kiln_global_time",
       "kiln_clock_gettime",
       "kiln_ptx",
       "__threadfence_cluster",
       "__cluster",
       "#include"});
  add("rounding", embedded::kRounding, {"_rd", "_ru", "_rz"});
  add("words", embedded::kWords, {"__v"});
  add("special", embedded::kSpecial,
      {"erfinv", "erfcinv", "erfcx", "normcdfinv", "cyl_bessel_i", "j0", "j1", "jn", "y0", "y1", "yn",
       "thrust/random", "normal_distribution", "curandStateSobol", "curandStateScrambledSobol"});
  add("atomics", embedded::kAtomics, {}, {},
      {"atomic", "kiln_add_double", "kiln_exchange_wide", "kiln_ptx", "#include"});
  add("warp", embedded::kWarp);
  add("more_of_cub", "#define KILN_MORE_OF_CUB\n",
      {"BlockShuffle", "BlockHistogram", "BlockRunLengthDecode", "WarpLoad", "WarpStore", "WarpExchange",
       "WarpMergeSort", "BLOCK_HISTO", "WARP_LOAD", "WARP_STORE", "WARP_EXCHANGE"});
  add("named_barriers", embedded::kNamedBarriers, {"__barrier_sync", "kiln_named_barrier"});
  add("address_spaces", embedded::kAddressSpaces,
      {"__isShared", "__isGlobal", "__isLocal", "__isClusterShared", "__cluster", "kiln_cluster",
       "__threadfence_cluster", "cluster_group", "this_cluster"});
  add("runtime_names", embedded::kRuntimeNames,
      {"cudaError",
       "cudaSuccess",
       "cudaStream_t",
       "cudaEvent_t",
       "cudaMemcpyKind",
       "cudaGet",
       "cudaPeek",
       "cudaGridDependency",
       "cudaTriggerProgrammatic",
       "cudaExtent",
       "cudaPos",
       "cudaPitchedPtr",
       "cudaArray",
       "cudaMipmappedArray",
       "cudaGraph",
       "cudaTexture",
       "cudaRead",
       "cudaFilterMode",
       "cudaAddressMode",
       "<<<"});
  add("data_types", embedded::kDataTypes, {"CUDA_R_", "CUDA_C_", "cudaDataType"});
  add("placement_new", "#include <new>\n", {"new", "<<<"});
  add("entry", embedded::kEntry);
  add("clusters", embedded::kClusters,
      {"__cluster", "kiln_cluster", "__threadfence_cluster", "cluster_group", "this_cluster"}, {},
      {"__cluster", "kiln_cluster", "__threadfence_cluster", "this_cluster"});
  add("device_launch", embedded::kDeviceLaunch, {"<<<"});
  add("split", embedded::kSplit, {}, {"kiln::cpu::Block<"});
  add("split_warps", embedded::kSplitWarps, {}, {"KILN_WARPS", "kiln::cpu::Warp<"});
  add("split_partings", embedded::kSplitPartings, {}, {"kiln_parting"});
  return parts;
}

}  // namespace

const std::vector<ShimPart>& cpu_shim_parts() {
  static const std::vector<ShimPart> parts = make_shim_parts();
  return parts;
}

const std::vector<EmbeddedFile>& cpu_stand_in_headers() {
  static const std::vector<EmbeddedFile> headers = make_stand_in_headers();
  return headers;
}

}  // namespace kiln
