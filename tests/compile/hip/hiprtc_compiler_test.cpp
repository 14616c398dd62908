// With the machine's own hipRTC; no GPU is needed. Skipped where there is none.
#include "compile/hip/hiprtc_compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "device/hip/code_object.h"
#include "kiln/error.h"
#include "specialize/include_scan.h"
#include "specialize/ptx_words.h"
#include "support/compile_result.h"
#include "support/recording_log.h"

namespace kiln::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kWarpSize =
    "#include \"kiln/params.h\"\n"
    "extern \"C\" __global__ void f(int* a, const Params p, double x) { a[0] = kiln::warp_size + p.n + "
    "int(x); }\n";

class HiprtcCompilerTest : public ::testing::Test {
 protected:
  HiprtcCompilerTest() : files_(make_real_file_system()), compiler_(make_compiler("")) {}

  void SetUp() override {
    try {
      static_cast<void>(compiler_->identity());
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }

  std::unique_ptr<Compiler> make_compiler(const std::filesystem::path& memo) {
    return make_hiprtc_compiler({hip_places("", ""), memo, ""}, *files_, log_);
  }

  static Specialization specialize(const std::string& text, const std::string& entry,
                                   const std::string& arch = "gfx90a") {
    Specialization specialization;
    specialization.source_name = "kernel.cu";
    specialization.source_text = text;
    specialization.params_header =
        "#pragma once\n#include \"kiln/portable.h\"\nstruct Params { static constexpr int n = 1; };\n";
    specialization.entries = {{entry, std::nullopt, ""}};
    specialization.target = {"hip", arch, wavefront_size(arch)};
    return specialization;
  }

  /// A user's text with a kernel `f`, which knows nothing of Kiln; its headers in `<>` have not been read.
  static Specialization foreign(const std::string& text) {
    Specialization specialization = specialize(text, "f");
    specialization.params_header = "";
    for (const IncludeUse& use : find_include_uses(text))
      specialization.unseen_headers.push_back(use.header.name);
    std::sort(specialization.unseen_headers.begin(), specialization.unseen_headers.end());
    return specialization;
  }
  void takes(const std::string& text) { takes(foreign(text)); }
  void takes(const Specialization& specialization) {
    EXPECT_EQ(compile(specialization).lowered_names.at("f"), "f");
  }

  CodeObject compile(const Specialization& specialization) {
    return test::code_of(compiler_->compile(specialization));
  }

  Diagnostic fail(const Specialization& specialization) {
    return test::diagnostic_of(compiler_->compile(specialization));
  }

  std::string refusal(const std::string& arch) {
    try {
      static_cast<void>(compiler_->target_for(arch));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    return "";
  }

  std::unique_ptr<FileSystem> files_;
  RecordingLog log_;
  std::unique_ptr<Compiler> compiler_;
};

TEST_F(HiprtcCompilerTest, FindsAKernelThatTheNameOfATypedefInstantiates) {
  const std::string entry = "fill<size_t>";
  const CodeObject object = compile(
      specialize("template <class T> __global__ void fill(T* y) { y[threadIdx.x] = 1; }", entry, "gfx90a"));
  EXPECT_EQ(object.lowered_names.at(entry), "_Z4fillImEvPT_");
}

TEST_F(HiprtcCompilerTest, MakesACodeObjectForEachIsaWithTheLoweredNameOfATemplate) {
  const std::string entry = "axpy<float, 4>";
  for (const std::string arch : {"gfx906", "gfx90a", "gfx90a:sramecc+:xnack-"}) {
    const CodeObject object = compile(specialize(R"(#include "kiln/params.h"
template <class T, int N> __global__ void axpy(T* y, const T* x, T a) {
  __shared__ T shared[32];
  const long long i = kiln::global_index_x();
  shared[threadIdx.x % 32] = x[i];
  __syncthreads();
  for (int k = 0; k < N; ++k) y[i * N + k] += a * shared[(threadIdx.x + k) % 32];
})",
                                                 entry, arch));
    EXPECT_EQ(object.format, "code_object");
    ASSERT_TRUE(object.lowered_names.contains(entry));
    EXPECT_THAT(object.lowered_names.at(entry), StartsWith("_Z4axpyIfLi4E"));
    const ResourceUse& use = object.resources.at(entry);
    EXPECT_GT(use.registers.value_or(0), 4);
    EXPECT_EQ(use.static_shared_bytes, 128u);
    EXPECT_EQ(use.local_bytes, 0u);
    EXPECT_GT(object.compile_seconds, 0);
    EXPECT_EQ(std::get<HipCodeObject>(read_code_object(object.binary)).isa, arch);
  }
}

TEST_F(HiprtcCompilerTest, GivesEachParameterItsSize) {
  const CodeObject object = compile(specialize(kWarpSize, "f"));
  const auto contents = std::get<HipCodeObject>(read_code_object(object.binary));
  EXPECT_EQ(contents.kernels.at("f").attributes.parameter_bytes, (std::vector<std::size_t>{8, 1, 8}));
}

TEST_F(HiprtcCompilerTest, TakesATextThatKnowsNothingOfKiln) {
  Specialization specialization =
      specialize("#include \"mine.h\"\nextern \"C\" __global__ void f(int* a) { *a = 1; }\n", "f");
  specialization.params_header = "";
  specialization.headers = {{"mine.h", "/x/mine.h", ""}};
  takes(specialization);
}

TEST_F(HiprtcCompilerTest, TakesCudasHeadersOfTypesAndItsComplexNumbers) {
  takes(
      "#include <cuda.h>\n#include <cuda_runtime_api.h>\n#include <vector_types.h>\n#include <cuComplex.h>\n"
      "#include <cstdint>\n"
      "extern \"C\" __global__ void f(cuComplex* a, uint8_t b, int16_t c, uint16_t d) {\n"
      "  *a = cuCmulf(*a, make_cuComplex(float4{b, c, d, 1}.x, cuCabsf(*a)));\n}\n");
}

TEST_F(HiprtcCompilerTest, TakesWhatNvccHasWithoutAHeader) {
  const std::string text =
      "__device__ __managed__ int counter;\n"
      "__device__ float texel(cudaTextureObject_t, float x) { return x + counter; }\n"
      "template <class T> __device__ T half_of(T x) {\n"
      "  if constexpr (std::is_same_v<T, float> && !std::is_convertible_v<int*, T>) return x / 2;\n"
      "  return static_cast<T>(static_cast<std::make_unsigned_t<int>>(x) >> 1);\n}\n"
      "extern \"C\" __global__ void f(float* a, int* b) {\n"
      "  ptrdiff_t d = a - (float*)b;\n  std::swap(b[0], b[1]);\n  __stcs(a + 1, b[2]);\n"
      "  a[0] = half_of(a[0]) + half_of(b[0]) + std::exchange(b[3], 4) + d;\n}\n";
  takes(text);
}

TEST_F(HiprtcCompilerTest, ATextMayHaveAVariableNamedWarpSize) {
  const std::string text =
      "extern \"C\" __global__ void f(int* a) {\n  const int warpSize = 32;\n"
      "  a[threadIdx.x / warpSize] = __shfl_down_sync(0xffffffffu, a[threadIdx.x], warpSize / 2);\n}\n";
  takes(text);
  const std::string without =
      "const int kwarpSize = 32;\nextern \"C\" __global__ void f(int (*a)[2]) {\n  static_assert(warpSize == "
      "32, \"\");\n"
      "  a[0][0] = __ballot_sync(0xffffffffu, a[0][1]);\n}\n";
  takes(without);
}

TEST_F(HiprtcCompilerTest, TakesHeadersOfLibrariesForTheHost) {
  takes(
      "#include <hip/hip_runtime_api.h>\n#include <cufft.h>\n#include <nvml.h>\n#include <cudaProfiler.h>\n"
      "extern \"C\" __global__ void f(cufftComplex* a, cufftDoubleReal b) { a->x = b; }\n");
  takes(
      "#include <cublas_v2.h>\n#include <cusparse.h>\n"
      "struct Solver {\n  cublasHandle_t blas;\n  cusparseHandle_t sparse;\n  __half scale;\n};\n"
      "extern \"C\" __global__ void f(cuComplex* a, Solver s) { a->x = __half2float(s.scale); }\n");
}

TEST_F(HiprtcCompilerTest, TakesCurandsDeviceFunctions) {
  takes(
      "#include <curand.h>\n#include <curand_kernel.h>\n#include <cuda_bf16.h>\n"
      "template <class State> __device__ double draw(unsigned long seed, int i) {\n"
      "  State state;\n  curand_init(seed, i, 3, &state);\n"
      "  return curand(&state) + curand_uniform(&state) + curand_normal(&state) + "
      "curand_log_normal_double(&state, "
      "0.5, 0.25) +\n    curand_poisson(&state, 3.0) + curand_uniform_double(&state);\n}\n"
      "extern \"C\" __global__ void f(double* a, float4* b) {\n"
      "  a[0] = draw<curandState>(1, threadIdx.x) + draw<curandStateMRG32k3a>(2, threadIdx.x) +\n"
      "    draw<curandStatePhilox4_32_10_t>(3, threadIdx.x);\n"
      "  curandStatePhilox4_32_10_t state;\n  curand_init(7, threadIdx.x, 0, &state);\n  b[0] = "
      "curand_normal4(&state);\n}\n");
}

TEST_F(HiprtcCompilerTest, FunctionsForTheHostMayCallThoseOfTheDevice) {
  takes(
      "struct Vector {\n  float x, y;\n  float length() { return sqrtf(x * x + y * y); }\n};\n"
      "inline float root(float x) { return sqrtf(x); }\n"
      "extern \"C\" __global__ void f(Vector* a) { a->x = 1; }\n");
}

/// Constructors of the host around HIP's vectors, whose own are for devices. A kernel may be declared before.
TEST_F(HiprtcCompilerTest, ConstructorsForTheHostMayHoldVectors) {
  Specialization program = foreign(
      "struct Matrix {\n  Matrix() {}\n  __host__ __device__ int size() const;\n  float3 rows[3];\n};\n"
      "int Matrix::size() const { return 9; }\n"
      "namespace n {\n__global__ void g(Matrix a);\n}\n__global__ void n::g(Matrix a) {}\n"
      "extern \"C\" __global__ void f(Matrix m, float* a) { a[0] = m.rows[1].y + m.size(); }\n");
  EXPECT_THAT(fail(program).summary, HasSubstr("default constructor")) << "a text of kernels alone";
  program.left_out = {"main"};
  takes(program);
}

TEST_F(HiprtcCompilerTest, ATextOfCudaAloneHasTheBranchesOfItsDevices) {
  takes(
      "#ifndef __CUDA_ARCH__\nextern const dim3 blockDim;\n#endif\n"
      "#ifdef __CUDACC__\n#define BOTH __host__ __device__\n#else\n#define BOTH\n#endif\n"
      "BOTH inline int twice(int x) { return 2 * x; }\n"
      "extern \"C\" __global__ void f(int* a) { a[0] = twice(blockDim.x); }\n");
  EXPECT_THAT(
      fail(foreign("#if defined(__HIP_DEVICE_COMPILE__) && !defined(__CUDA_ARCH__)\n#error of AMD\n#endif\n"
                   "extern \"C\" __global__ void f(int* a) { a[0] = 1; }\n"))
          .summary,
      HasSubstr("of AMD"));
}

TEST_F(HiprtcCompilerTest, TakesFunctionsOfCudaThatHipLacks) {
  takes(
      "__device__ unsigned umax(unsigned a, unsigned b) { return a < b ? b : a; }\n"
      "extern \"C\" __global__ void f(float* a, unsigned* b, int* c) {\n"
      "  a[0] = __fmaf_rd(a[0], a[1], a[2]) + __fadd_rz(a[3], a[4]) + __uint2float_rz(b[9]) + "
      "__fsqrt_ru(a[5]);\n"
      "  b[0] = __vadd4(b[1], b[2]) + __vsadu2(b[3], b[4]) + umax(b[5], umin(b[6], b[7]));\n"
      "  c[0] = __dp4a(c[1], c[2], c[3]) + __viaddmax_s32(c[4], c[5], c[6]);\n"
      "  __shared__ int s[4];\n  s[threadIdx.x] = c[0];\n"
      "  b[8] = static_cast<unsigned>(__cvta_generic_to_shared(s + 1)) + __isShared(s) + __isGlobal(c);\n"
      "  __nanosleep(100);\n}\n");
}

/// A text may define functions that HIP or Kiln has.
TEST_F(HiprtcCompilerTest, TakesATextsOwnAtomicsAndShuffles) {
  takes(
      "template <class T>\n__device__ T __shfl_down_sync(unsigned, T x, unsigned delta, int width = 32) {\n"
      "  return __shfl_down(x, delta, width);\n}\n"
      "__device__ void atomicMin(float* const a, const float x) { atomicMin(reinterpret_cast<int*>(a), "
      "__float_as_int(x)); }\n"
      "extern \"C\" __global__ void f(float* a, unsigned* b) {\n"
      "  atomicMin(a, __shfl_down_sync(~0u, a[1], 2));\n  b[0] = atomicMin(b + 1, 3);\n}\n");
}

TEST_F(HiprtcCompilerTest, TakesAsynchronousCopiesAsPlainOnes) {
  takes(
      "#include <cuda_pipeline.h>\n#include <endian.h>\n"
      "extern \"C\" __global__ void f(const float4* a, float4* b) {\n  __shared__ float4 s[64];\n"
      "  __pipeline_memcpy_async(s + threadIdx.x, a + threadIdx.x, 16);\n  __pipeline_commit();\n"
      "  __pipeline_wait_prior(0);\n  b[threadIdx.x] = s[threadIdx.x];\n  b[0].x = htole32(1);\n}\n");
}

TEST_F(HiprtcCompilerTest, TakesProductsOfMatrices) {
  takes(
      "#include <mma.h>\nusing namespace nvcuda::wmma;\n"
      "template <int M, int N, int K, class T, class Out> __device__ void product(Out* d, const T* a) {\n"
      "  fragment<matrix_a, M, N, K, T, row_major> fa;\n  fragment<matrix_b, M, N, K, T, col_major> fb;\n"
      "  fragment<accumulator, M, N, K, Out> sum;\n  fill_fragment(sum, Out(0.0f));\n"
      "  load_matrix_sync(fa, a, K);\n  load_matrix_sync(fb, a + M * K, K);\n  mma_sync(sum, fa, fb, sum);\n"
      "  store_matrix_sync(d, sum, N, mem_row_major);\n}\n"
      "extern \"C\" __global__ void f(float* d, const half* a, const __nv_bfloat16* b, const signed char* c, "
      "double* e, int* g, half* h) {\n"
      "  product<16, 16, 16>(d, a);\n  product<32, 8, 16>(d, b);\n  product<8, 32, 16>(g, c);\n"
      "  product<8, 8, 4>(e, (const double*)e);\n  product<16, 16, 16>(h, a);\n}\n");
}

TEST_F(HiprtcCompilerTest, TakesPtxOfMatrices) {
  const auto product = [](const std::string& types, int c, int a, int b, const std::string& letter,
                          const std::string& of_factors) {
    const auto operands = [](const std::string& kind, const std::string& name, int count) {
      std::string text;
      for (int i = 0; i < count; ++i)
        text += (i > 0 ? ", \"" : "\"") + kind + "\"(" + name + "[" + std::to_string(i) + "])";
      return text;
    };
    const auto numbers = [](int begin, int count) {
      std::string text;
      for (int i = 0; i < count; ++i) text += (i > 0 ? ", %" : "%") + std::to_string(begin + i);
      return "{" + text + "}";
    };
    const std::string x = of_factors == "d" ? "x" : "u", y = letter == "r" ? "u" : letter == "d" ? "x" : "y";
    return "  asm volatile(\"mma.sync.aligned." + types + " " + numbers(0, c) + ", " + numbers(c, a) + ", " +
           numbers(c + a, b) + ", " + numbers(0, c) + ";\" : " + operands("+" + letter, y, c) + " : " +
           operands(of_factors, x, a) + ", " + operands(of_factors, x, b) + ");\n";
  };
  takes(ptx_as_hip(
      "extern \"C\" __global__ void f(unsigned* u, float* y, double* x) {\n"
      "  asm volatile(\"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];\" : \"=r\"(u[0]), "
      "\"=r\"(u[1]) : \"r\"(u[2]));\n"
      "  asm volatile(\"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};\" :: \"r\"(u[2]), "
      "\"r\"(u[3]));\n"
      "  asm(\"movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;\" : \"=r\"(u[0]) : \"r\"(u[1]));\n" +
          product("m16n8k16.row.col.f16.f16.f16.f16", 2, 4, 2, "r", "r") +
          product("m16n8k16.row.col.f32.bf16.bf16.f32", 4, 4, 2, "f", "r") +
          product("m16n8k8.row.col.f32.tf32.tf32.f32", 4, 4, 2, "f", "r") +
          product("m16n8k32.row.col.satfinite.s32.s8.u8.s32", 4, 4, 2, "r", "r") +
          product("m8n8k4.row.col.f64.f64.f64.f64", 2, 1, 1, "d", "d") + "}\n",
      "kernel.cu"));
}

/// The machine's own headers do not count: what is in them depends on it.
TEST_F(HiprtcCompilerTest, LeavesOutHeadersThatItDoesNotHave) {
  const char* text =
      "#include <vector>\n#include <cub/cub.cuh>\n#include <tuple>\n"
      "extern \"C\" __global__ void f(int* a) { a[0] = N; }\n";
  Specialization program = foreign(text);
  program.defines = {{"N", "1"}};
  program.left_out = {"main"};
  takes(program);
  program.defines = {{"N", "static_cast<int>(std::vector<int>(3).size())"}};
  EXPECT_THAT(fail(program).summary, AllOf(HasSubstr("'vector'"), HasSubstr("left out")));
}

/// A refusal names the line; code that the kernel does not reach may have anything.
TEST_F(HiprtcCompilerTest, RefusesPtxThatItCannotTranslate) {
  const auto text = [](const std::string& body) {
    return ptx_as_hip(
        "__device__ void unused(unsigned at) {\n  asm volatile(\"ldmatrix.sync.aligned.m8n8.x1.shared.b16 "
        "{%0}, "
        "[%0];\" :: \"r\"(at));\n}\n"
        "extern \"C\" __global__ void f(unsigned* a) {\n" +
            body + "}\n",
        "kernel.cu");
  };
  takes(text("  asm(\"popc.b32 %0, %1;\" : \"=r\"(a[0]) : \"r\"(a[1]));\n"));
  const Diagnostic refused =
      fail(foreign(text("  asm volatile(\"mov.u64 %0, %globaltimer;\" : \"=l\"(a));\n")));
  EXPECT_THAT(refused.summary,
              StartsWith("kernel.cu:5: error: `asm` of PTX without a translation for HIP: mov.u64"));
  for (const char c : refused.log) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~'));
}

TEST_F(HiprtcCompilerTest, TakesBfloat16AndFp8OfItsOwnAndMathConstants) {
  takes(
      "#include <cuda_bf16.h>\n#include <cuda_fp8.h>\n#include <math_constants.h>\n"
      "extern \"C\" __global__ void f(__nv_bfloat16* a, __nv_bfloat162* b, __nv_fp8_e4m3* c, __nv_fp8_e5m2* "
      "d, __half* e) {\n"
      "  a[0] = __float2bfloat16(CUDART_PI_F) + a[1];\n  a[2] = __hfma(a[0], a[1], a[2]);\n"
      "  b[0] = __hmul2(b[1], __floats2bfloat162_rn(CUDART_SQRT_TWO_F, float(a[3])));\n"
      "  atomicAdd(a + 4, a[5]);\n  atomicAdd(b + 2, b[3]);\n"
      "  c[0] = __nv_fp8_e4m3(float(c[1]) * float(d[0]));\n  d[1] = __nv_fp8_e5m2(a[6]);\n"
      "  e[0] = static_cast<__half>(c[2]);\n  if (a[7] < a[8]) a[9] = hexp(a[8]);\n}\n");
}

TEST_F(HiprtcCompilerTest, TakesCooperativeGroupsOfAnyKind) {
  takes(
      "#include <cooperative_groups.h>\nusing namespace cooperative_groups;\n"
      "__device__ unsigned place(thread_group g) { g.sync(); return g.thread_rank() * g.size(); }\n"
      "extern \"C\" __global__ void f(unsigned* a) {\n"
      "  const thread_block block = this_thread_block();\n"
      "  const grid_group grid = this_grid();\n"
      "  a[grid.thread_rank() % grid.size()] = place(tiled_partition<16>(block)) + "
      "place(coalesced_threads());\n"
      "  sync(grid);\n  grid.barrier_wait(grid.barrier_arrive());\n"
      "  a[0] += place(block) + (grid.is_valid() ? grid.block_rank() : grid.num_blocks());\n}\n");
}

TEST_F(HiprtcCompilerTest, TakesThrustsAlgorithmsOfOneWorkItem) {
  takes(
      "#include <thrust/execution_policy.h>\n#include <thrust/sort.h>\n"
      "extern \"C\" __global__ void f(float* a, int n) {\n"
      "  int places[4] = {0, 1, 2, 3};\n  thrust::sort(thrust::seq, a, a + n);\n"
      "  thrust::sort_by_key(thrust::device, a, a + 4, places);\n  a[n] = places[0];\n}\n");
}

TEST_F(HiprtcCompilerTest, HasWavefrontsOfTheTargetOrAsTheUserAsks) {
  const auto wavefront = [&](const std::string& arch, const std::vector<std::string>& options) {
    Specialization specialization = specialize(kWarpSize, "f", arch);
    specialization.options = options;
    const CodeObject object = compile(specialization);
    return std::get<HipCodeObject>(read_code_object(object.binary)).kernels.at("f").wavefront_size;
  };
  EXPECT_EQ(wavefront("gfx90a", {}), 64);
  EXPECT_EQ(wavefront("gfx1030", {}), 32);
  EXPECT_EQ(wavefront("gfx1030", {"-mwavefrontsize64"}), 64);
}

TEST_F(HiprtcCompilerTest, RefusesCodeWhoseWavefrontIsNotTheTexts) {
  Specialization specialization = specialize(kWarpSize, "f", "gfx1030");
  specialization.target.warp_size = 64;  // as if the device had said so
  EXPECT_THAT(fail(specialization).summary,
              HasSubstr("wavefronts of 32 work-items, but kiln::warp_size was 64"));
}

TEST_F(HiprtcCompilerTest, FastMathAndConstantsChangeTheCode) {
  const std::string text =
      "extern \"C\" __global__ void f(float* a) { a[0] = sinf(a[0]) / a[1] + sqrtf(a[2]); }\n";
  Specialization plain = specialize(text, "f");
  Specialization fast = plain;
  fast.fast_math = true;
  EXPECT_LT(compile(fast).binary.size(), compile(plain).binary.size());
  Specialization constant = specialize("extern \"C\" __global__ void f(int* a) { a[0] = N; }\n", "f");
  constant.defines = {{"N", "12345"}};
  Specialization other = constant;
  other.defines = {{"N", "54321"}};
  EXPECT_NE(compile(constant).binary, compile(other).binary);
}

TEST_F(HiprtcCompilerTest, TakesItsQuickOptions) {
  const char* text =
      "extern \"C\" __global__ void f(float* a) {\n  float s = 0;\n"
      "  for (int i = 0; i < 16; ++i)\n    for (int j = 0; j < i; ++j) s += a[16 * i + j] * s;\n  a[0] = "
      "s;\n}\n";
  Specialization specialization = specialize(text, "f");
  const std::size_t full = compile(specialization).binary.size();
  specialization.options = compiler_->quick_options();
  ASSERT_FALSE(specialization.options.empty());
  EXPECT_NE(compile(specialization).binary.size(), full);
}

TEST_F(HiprtcCompilerTest, TakesOptionsOfTheUsers) {
  Specialization specialization =
      specialize("extern \"C\" __global__ void f(double* a) { atomicAdd(a, 1.0); }\n", "f");
  const CodeObject safe = compile(specialization);
  specialization.options = {"-munsafe-fp-atomics"};
  EXPECT_LT(compile(specialization).binary.size(), safe.binary.size());  // an instruction in place of a loop
}

TEST_F(HiprtcCompilerTest, NamesTheLineOfTheUsersFile) {
  Specialization specialization =
      specialize("\n\nextern \"C\" __global__ void f(int* a) { *a = nothing; }", "f");
  specialization.defines = {{"A", "1"}, {"B", "2"}};
  const Diagnostic diagnostic = fail(specialization);
  EXPECT_THAT(diagnostic.summary, StartsWith("kernel.cu:3:"));
  EXPECT_THAT(diagnostic.log, HasSubstr("nothing"));
  EXPECT_THAT(diagnostic.command, HasSubstr("--offload-arch=gfx90a"));
  EXPECT_FALSE(diagnostic.environment);
}

TEST_F(HiprtcCompilerTest, SaysWhichKernelsThereAre) {
  const Diagnostic diagnostic =
      fail(specialize("extern \"C\" __global__ void axpy(int* a) { *a = 1; }", "axpi"));
  EXPECT_THAT(diagnostic.summary, HasSubstr("no kernel 'axpi' in this file"));
  EXPECT_THAT(diagnostic.summary, HasSubstr("axpy"));
}

TEST_F(HiprtcCompilerTest, RefusesAnIsaThatItDoesNotKnowWhichWouldCrashIt) {
  EXPECT_EQ(compiler_->target_for("gfx90a:xnack-").arch, "gfx90a:xnack-");
  EXPECT_EQ(compiler_->target_for("gfx90a").warp_size, 64);
  EXPECT_EQ(compiler_->target_for("gfx1030").warp_size, 32);
  // gfx9999 stands for what is newer than any hipRTC: which ones are depends on the release.
  EXPECT_THAT(refusal("gfx9999"), StartsWith("gfx9999 is not known to this hipRTC "));
  EXPECT_THAT(refusal("gfx9999"), HasSubstr("(knows gfx"));
  EXPECT_THAT(refusal("gfx9999"), HasSubstr("gfx90a"));
  EXPECT_THAT(refusal("gfx90aa"), Not(HasSubstr("KILN_CXX")));
  EXPECT_THAT(refusal("gfx_90a"), HasSubstr("did you mean 'gfx90a'"));
  EXPECT_THAT(refusal("gfx1030:xnack+"), HasSubstr("'xnack+' is no feature of gfx1030"));
  EXPECT_THAT(refusal("gfx90a:fast"), HasSubstr("'fast' is no feature of gfx90a"));
  EXPECT_THROW(static_cast<void>(compiler_->compile(specialize(kWarpSize, "f", "gfx9999"))), Error);
}

TEST_F(HiprtcCompilerTest, OfDebianDoesNotKnowGfx942) {
  if (!compiler_->identity().version.starts_with("5.2."))
    GTEST_SKIP() << "this hipRTC is " << compiler_->identity().version << ", not 5.2";
  EXPECT_THAT(refusal("gfx942"), StartsWith("gfx942 is not known to this hipRTC 5.2 (knows gfx600, "));
}

TEST_F(HiprtcCompilerTest, MayBeCalledByManyThreads) {
  std::vector<std::thread> threads;
  std::vector<CodeObject> objects(4);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    threads.emplace_back(
        [&, i] { objects[i] = compile(specialize(kWarpSize, "f", i % 2 == 0 ? "gfx906" : "gfx90a")); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(objects[0].binary, objects[2].binary);
  EXPECT_EQ(objects[1].binary, objects[3].binary);
  EXPECT_NE(objects[0].binary, objects[1].binary);
}

TEST_F(HiprtcCompilerTest, RemembersItsVersionUnlessItsComgrChanges) {
  const std::filesystem::path folder =
      files_->make_unique_directory(std::filesystem::temp_directory_path() / "kiln_hiprtc_");
  const std::filesystem::path memo = folder / "hiprtc.txt";
  const CompilerIdentity asked = make_compiler(memo)->identity();
  const std::string written = files_->read_file(memo).value_or("");
  EXPECT_THAT(written, HasSubstr("\t" + asked.version + "\t"));
  EXPECT_THAT(written, HasSubstr("comgr"));

  std::string other = written;
  other.replace(other.find("\t" + asked.version + "\t") + 1, asked.version.size(), "99");
  files_->write_file(memo, other, false);
  EXPECT_EQ(make_compiler(memo)->identity().version, "99");  // so it was not opened
  other.replace(other.rfind('\t') + 1, 1, "#");              // the stamp of comgr
  files_->write_file(memo, other, false);
  EXPECT_EQ(make_compiler(memo)->identity().version, asked.version);
  EXPECT_EQ(make_compiler(memo)->identity().fingerprint, asked.fingerprint);
  files_->remove_all(folder);
}

TEST(HiprtcSearch, SaysWhatIsMissingAndWhatToInstall) {
  const auto files = make_real_file_system();
  RecordingLog log;
  const auto compiler = make_hiprtc_compiler({hip_places("", "/none/libhiprtc.so.6"), "", ""}, *files, log);
  try {
    static_cast<void>(compiler->identity());
    FAIL() << "a hipRTC that is not there";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_THAT(error.what(), HasSubstr("/none/libhiprtc.so.6"));
    EXPECT_THAT(error.what(), HasSubstr("KILN_HIPRTC"));
  }
}

}  // namespace
}  // namespace kiln::test
