// What foreign kernels include, with the machine's own NVRTC where there is one, with CUDA's headers and
// without.
#include "compile/cuda/nvrtc_headers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/cuda/nvrtc_fixture.h"
#include "specialize/hip_words.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::StartsWith;
using Path = std::filesystem::path;

class NvrtcHeadersTest : public ::testing::Test {
 protected:
  NvrtcHeadersTest() {
    for (const char* name : {"cuda_runtime.h", "cuda_fp16.h", "cuda/std/cstdint", "cuda/std/type_traits"}) {
      const Path file = Path("/cuda") / name;
      files_.make_directories(file.parent_path(), false);
      files_.write_file(file, "", false);
    }
    files_.write_file("/cuda/cuda/std/cstdint", "using uint64_t = unsigned long long;", false);
  }

  std::map<std::string, std::string> in_memory(const std::vector<std::string>& unseen,
                                               const CudaHeaders& cuda) {
    const NvrtcHeaders headers = make_nvrtc_headers(unseen, true, cuda, files_);
    return {headers.in_memory.begin(), headers.in_memory.end()};
  }

  FakeClock clock_;
  MemoryFileSystem files_{clock_};
  const CudaHeaders cuda_{{"/cuda"}, "13.0", "3.0.1"};
  const CudaHeaders none_;
};

TEST_F(NvrtcHeadersTest, OfATextThatIncludesNoneAreWhatNvccHasAnyway) {
  const NvrtcHeaders headers = make_nvrtc_headers({}, false, cuda_, files_);
  ASSERT_EQ(headers.in_memory.size(), 1U);
  EXPECT_EQ(headers.in_memory[0].first, kNvccHeader);
  EXPECT_THAT(headers.in_memory[0].second,
              AllOf(HasSubstr("using uint64_t = unsigned long;"), HasSubstr("M_PI"),
                    HasSubstr("#define MAXFLOAT"), Not(HasSubstr("using ::sqrt;"))));
  EXPECT_TRUE(headers.folders.empty());
  EXPECT_THAT(in_memory({}, cuda_).at(kNvccHeader), HasSubstr("using ::sqrt;"));
}

TEST_F(NvrtcHeadersTest, NamesThatNvccBringsByItselfImplyTheirHeaders) {
  const auto implied = [](const std::string& text, const std::vector<std::string>& unseen = {}) {
    return implied_headers({"// nothing", text}, unseen);
  };
  EXPECT_THAT(implied("int i = INT_MAX;").macros, HasSubstr("#define INT_MAX"));
  EXPECT_THAT(implied("float x = FLT_MAX;").macros, AllOf(HasSubstr("FLT_MAX"), Not(HasSubstr("INT_MAX"))));
  EXPECT_EQ(implied("int i = INT_MAX;", {"limits.h"}).macros, "");
  EXPECT_EQ(implied("int i = MY_MAX;").macros, "");
  EXPECT_THAT(implied("std::numeric_limits<int>::max()").names, testing::ElementsAre("limits"));
  EXPECT_THAT(implied("float y = std::max(std::sqrt(x), 1.0f);").names,
              testing::ElementsAre("algorithm", "cmath"));
  EXPECT_THAT(implied("std::uint8_t x").names, testing::ElementsAre("cstdint"));
  EXPECT_THAT(implied("auto p = (std::byte*)x;").names, testing::ElementsAre("cstddef"));
  EXPECT_THAT(implied("typename std::make_unsigned<T>::type").names, testing::ElementsAre("type_traits"));
  // A header of the user's that uses the name may stand before the include.
  EXPECT_THAT(implied("std::numeric_limits<int>::max()", {"limits"}).names, testing::ElementsAre("limits"));
  EXPECT_THAT(implied("constexpr int n = std::max(1, 2);").names, testing::ElementsAre("algorithm"));
  EXPECT_TRUE(implied("mine::pair<int, int> p; std::sqrt(2.0f)").names.empty());
}

TEST_F(NvrtcHeadersTest, SixtyFourBitsAreLongAsNvccHasThemAlsoInLibcu) {
  const auto with = in_memory({"cuda/std/type_traits"}, cuda_);
  EXPECT_EQ(with.at("cuda/std/cstdint"), "using uint64_t = unsigned long;");
  EXPECT_THAT(with.at(kNvccHeader),
              AllOf(HasSubstr("#include <cuda/std/cstdint>"), Not(HasSubstr("using ::sqrt;"))));
}

TEST_F(NvrtcHeadersTest, OfTheHostsLibraryAreEmpty) {
  const auto with = in_memory({"time.h", "sys/time.h", "unistd.h", "helper.h"}, none_);
  EXPECT_EQ(with.at("sys/time.h"), "#pragma once\n");
  EXPECT_THAT(with, Not(Contains(Key("helper.h"))));
}

TEST_F(NvrtcHeadersTest, OfTheLanguageComeFromLibcuWhereItIsThere) {
  const auto with = in_memory({"cstdint", "stdint.h", "type_traits", "cmath", "vector"}, cuda_);
  EXPECT_THAT(with.at("stdint.h"), HasSubstr("#include <cuda/std/cstdint>"));
  EXPECT_THAT(with.at("cstdint"), HasSubstr("using namespace cuda::std;"));
  EXPECT_THAT(with.at("type_traits"), HasSubstr("#include <cuda/std/type_traits>"));
  EXPECT_THAT(with.at("cmath"), HasSubstr("using ::sqrt;"));
  EXPECT_THAT(with, Not(Contains(Key("vector"))));
  const auto without = in_memory({"cstdint", "type_traits"}, none_);
  EXPECT_EQ(without.at("cstdint"), "#pragma once\n");  // all of it is in kNvccHeader
  EXPECT_THAT(without, Not(Contains(Key("type_traits"))));
}

TEST_F(NvrtcHeadersTest, OfTheRuntimeAreEmptyOnlyWhereThereIsNoToolkit) {
  EXPECT_THAT(in_memory({"cuda_runtime.h", "cuda_fp16.h"}, cuda_), Not(Contains(Key("cuda_runtime.h"))));
  const auto without = in_memory({"cuda_runtime.h", "cuda_fp16.h"}, none_);
  EXPECT_EQ(without.at("cuda_runtime.h"), "#pragma once\n");
  EXPECT_THAT(without, Not(Contains(Key("cuda_fp16.h"))));
}

TEST_F(NvrtcHeadersTest, ThatOnlyThrowingCodeUsesAreEmpty) {
  EXPECT_EQ(in_memory({"stdexcept"}, cuda_).at("stdexcept"), "#pragma once\n");
}

TEST_F(NvrtcHeadersTest, VersionsAreOfWhatIsUsed) {
  for (const char* name : {"cuda_fp16.h", "cstdint", "stdint.h", "type_traits", "cuda_runtime.h"}) {
    EXPECT_EQ(header_versions({"another.h", name}, cuda_, files_), "CUDA 13.0, CCCL 3.0.1") << name;
    EXPECT_EQ(header_versions({name}, none_, files_), "") << name;
  }
  EXPECT_EQ(header_versions({"cmath", "stdio.h", "vector", "none.h"}, cuda_, files_), "");
}

TEST_F(NvrtcHeadersTest, AdviceNamesTheHeaderAndThePackage) {
  struct Case {
    const char* name;
    const CudaHeaders& cuda;
    int major;
    const char* part;
  };
  const std::vector<Case> cases = {
      {"cuda_fp16.h", none_, 13, "pip install nvidia-cuda-runtime"},
      {"cooperative_groups.h", none_, 12, "pip install nvidia-cuda-runtime-cu12"},
      {"cuda/std/array", none_, 13, "pip install nvidia-cuda-cccl"},
      {"type_traits", none_, 11, "pip install nvidia-cuda-cccl-cu11"},
      {"curand_kernel.h", cuda_, 12, "pip install nvidia-curand-cu12"},
      {"iostream", cuda_, 13, "a header for host code"},
      {"mine.h", cuda_, 13, "neither beside the kernel text"},
      {"cuda_common.h", cuda_, 13, "neither beside the kernel text"},
  };
  for (const Case& item : cases) {
    EXPECT_THAT(missing_header_advice(item.name, item.cuda, item.major),
                AllOf(HasSubstr(item.name), HasSubstr(item.part)));
  }
}

/// The headers of C, and what of them kernels use.
constexpr const char* kStandardText = R"(#include <algorithm>
#include <assert.h>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#if CUDA_VERSION < 10000
#error the toolkit has no version
#endif
template <class A, class B> struct Same { static const bool value = false; };
template <class A> struct Same<A, A> { static const bool value = true; };
static_assert(Same<decltype(std::sqrt(1.f)), float>::value, "no overload for float");
static_assert(Same<decltype(std::abs(-1)), int>::value, "no overload for int");
static_assert(Same<decltype(std::fmaxf(1.f, std::sqrtf(2.f))), float>::value, "no function of float");
static_assert(Same<std::uint64_t, uint64_t>::value && sizeof(int64_t) == 8 && UINT32_MAX == 0xffffffffu, "");
static_assert(INT_MIN < 0 && INT64_MIN < 0 && FLT_MAX > 3e38f && DBL_EPSILON < 3e-16 && CHAR_BIT == 8, "");
struct Pair { int first, second; };
static_assert(offsetof(Pair, second) == 4, "");
extern "C" __global__ void f(int* a, float* b, std::uint64_t* c) {
  assert(a != nullptr);
  if (std::isnan(*b) || std::isinf(*b) || *b == INFINITY) *b = static_cast<float>(M_PI);
  if (std::ilogb(*b) == FP_ILOGB0 || std::ilogb(*b) == FP_ILOGBNAN) *b = 1;
  a[0] = std::min(a[0], 3) + std::max<int>(a[1], 2);
  std::swap(a[0], a[1]);
  atomicAdd(reinterpret_cast<unsigned long long*>(c), uint64_t{1});
  std::memcpy(a, b, sizeof(std::size_t));
  std::printf("%d\n", *a);
})";

class StandardHeaders : public NvrtcTest {};

TEST_F(StandardHeaders, OfCAreThereWithoutAnyToolkit) {
  const auto alone = make_alone();
  EXPECT_EQ(compile(specialize(kStandardText, "f"), alone.get()).format, "cubin");
}

TEST_F(StandardHeaders, OfCAreThereBesideLibcu) {
  if (!has_cuda_headers("cuda/std/type_traits")) GTEST_SKIP() << "CUDA's libcu++ is not here";
  const std::string text =
      "#include <cuda/std/cstdint>\n#include <limits>\n" + std::string(kStandardText) +
      "\n#include <type_traits>\n"
      "static_assert(std::is_same<std::int32_t, int>::value && std::is_floating_point_v<float>, \"\");\n"
      "static_assert(std::numeric_limits<float>::max() == FLT_MAX, \"\");\n";
  EXPECT_EQ(compile(specialize(text, "f")).format, "cubin");
}

/// Libraries of the host keep it.
TEST_F(StandardHeaders, OfFunctionsHaveWhatLaterStandardsRemoved) {
  if (!has_cuda_headers("cuda/std/functional")) GTEST_SKIP() << "CUDA's libcu++ is not here";
  EXPECT_EQ(
      compile(specialize(
                  "#include <functional>\nstruct Max : std::binary_function<int, int, int> {\n"
                  "  __device__ result_type operator()(int a, int b) const { return a > b ? a : b; }\n};\n"
                  "extern \"C\" __global__ void f(int* a) { a[0] = Max()(a[1], std::plus<int>()(a[2], 1)); }",
                  "f"))
          .format,
      "cubin");
}

TEST_F(StandardHeaders, OfCudaAreFoundAndTheirVersionIsInTheKey) {
  if (!has_cuda_headers("cuda_fp16.h")) GTEST_SKIP() << "CUDA's headers are not here";
  const Specialization specialization = specialize(R"(#include <cuda_fp16.h>
#include <cuda_runtime.h>
extern "C" __global__ void f(__half* a) { a[0] = __hadd(a[0], a[1]); })",
                                                   "f");
  EXPECT_EQ(compile(specialization).format, "cubin");
  EXPECT_THAT(compiler_->surroundings(specialization), StartsWith("CUDA 1"));
  EXPECT_EQ(compiler_->surroundings(specialize("", "f")), "");
}

/// What nvcc takes, and NVRTC does not by itself.
TEST_F(StandardHeaders, AreAsForgivingAsNvccs) {
  const auto compiles = [&](const std::string& text) {
    const std::string kernel = "\nextern \"C\" __global__ void f(float* out) { out[0] = 1; }\n";
    const std::string whole = text.find("__global__") == std::string::npos ? text + kernel : text;
    return compile(specialize(whole, text.find("void any(") == std::string::npos ? "f" : "any")).format ==
           "cubin";
  };
  EXPECT_TRUE(
      compiles("void usage(int, char**);\nstruct A { A() {} int a; };\nint twice(int a) { return 2 * a; }"));
  EXPECT_TRUE(
      compiles("__device__ void g(unsigned long* p) { *p = 1; }\n"
               "extern \"C\" __global__ void f(float* out) { uint64_t v; g(&v); out[0] = v; }"));
  EXPECT_TRUE(
      compiles("extern \"C\" __global__ void f(uint64_t* out, size_t* n, long* l) { atomicAdd(out, 1); "
               "atomicCAS(n, 1, 2); atomicMax(l, -1); }"));
  EXPECT_TRUE(compiles(
      "extern \"C\" __global__ void f(int8_t* a, uint* b) { a[0] = 1; b[0] = M_PI + std::exp(1.0f); }"));
  EXPECT_TRUE(
      compiles("#include <time.h>\n#include <strings.h>\n#include <unistd.h>\n#include <sys/time.h>"));
  EXPECT_TRUE(compiles(
      "extern \"C\" __global__ void f(float* a, std::ptrdiff_t stride) { std::nullptr_t none = nullptr; "
      "if (a != none) a[stride] = MAXFLOAT; }"));
  EXPECT_TRUE(
      compiles("struct timeval started, ended;\nstruct timespec slept;\n"
               "static __device__ __const__ unsigned mask = 15;\n"
               "extern \"C\" __global__ void f(int* a) { register int r = mask; a[0] = r; }"));
  EXPECT_TRUE(
      compiles("extern \"C\" __global__ void f(unsigned* a, int* b) {\n"
               "  __asm__ __volatile__(\"mov.u32 %0, %%laneid;\" : \"=r\"(a[0]));\n"
               "  std::memset(b, 0, sizeof(int));\n}"));
  EXPECT_TRUE(
      compiles("#if !defined(__linux__) || !defined(__unix__) || __CUDACC_VER__ >= 70000\n#error\n#endif\n"
               "#include <limits>\nextern \"C\" __global__ void f(float* a) {\n"
               "  a[0] = __FLT_MAX__ + __INT_MAX__ + std::numeric_limits<float>::max();\n}"));
  EXPECT_TRUE(
      compiles("extern \"C\" __global__ void f(int* a) {\n  cudaGridDependencySynchronize();\n  a[0] = 1;\n"
               "  cudaTriggerProgrammaticLaunchCompletion();\n}"));
  EXPECT_TRUE(
      compiles("#include <alloca.h>\nextern \"C\" __global__ void f(float* a, int n) {\n"
               "  float* s = (float*)alloca(n * sizeof(float));\n  s[n - 1] = 1;\n  a[0] = s[a[1] > 0];\n}"));
  EXPECT_TRUE(
      compiles("#define SIZE 2048\nextern \"C\" __global__ void f(float* a, int n) {\n"
               "  auto s = static_cast<float*>(__builtin_alloca(SIZE * sizeof(float)));\n  s[n] = 1;\n"
               "  float* t = (float*)__builtin_alloca(n);\n  t[0] = 2;\n  a[0] = s[a[1] > 0] + t[0];\n}"));
  EXPECT_TRUE(
      compiles("struct A { float x; };\n"
               "static_assert(std::is_standard_layout_v<A> && std::is_trivially_copyable_v<A>, \"\");\n"
               "static_assert(std::conjunction_v<std::is_default_constructible<A>>, \"\");\n"
               "extern \"C\" __global__ void f(A* a) { a->x = 1; }"));
  EXPECT_TRUE(compiles("extern \"C\" __global__ void any(float* out, const float* in) { out[0] = 1; }"));
  EXPECT_TRUE(compiles("__global__ void any(float* out, const float* in) { out[0] = 1; }"));
}

TEST_F(StandardHeaders, FunctionsOfWholeNumbersAreThoseOfDouble) {
  for (const char* before : {"", "#include <cmath>\nusing namespace std;\n", "#include <type_traits>\n"}) {
    const std::string text =
        std::string(before) +
        "extern \"C\" __global__ void f(double* a, int n, unsigned u, float x) {\n"
        "  static_assert(sizeof(pow(2, n)) == 8 && sizeof(pow(x, n)) == 4 && sizeof(sqrt(x)) == 4, \"\");\n"
        "  a[0] = pow(2, n) + pow(x, 2.0f) + pow(x, 2) + fmax(x, 1.0f) + sqrt(2.0);\n"
        "  static_assert(sizeof(pow(x, 2.0)) == 8 && sizeof(atan2(2.0, x)) == 8, \"\");\n"
        "  a[1] = pow(x, 3.0) + pow(3.0, x) + fmod(x, 2.0) + fmax(x, 0.0) + hypot(2.0, x) + pow(10, "
        "a[2]);\n}\n";
    EXPECT_EQ(compile(specialize(text, "f")).format, "cubin") << text;
  }
  for (const char* before : {"", "using namespace std;\n"}) {
    const std::string text =
        "#include <tuple>\n" + std::string(before) +
        "extern \"C\" __global__ void f(double* a, float x) {\n"
        "  a[0] = std::get<0>(std::make_tuple(pow(x, 3.0))) + pow(10, a[1]) + fmax(x, 0.0) + pow(x, 2);\n}\n";
    EXPECT_EQ(compile(specialize(text, "f")).format, "cubin") << text;
  }
  for (const char* before : {"", "#include <type_traits>\n", "#include <cub/block/block_reduce.cuh>\n"}) {
    if (before[0] != 0 && !has_cuda_headers("cub/block/block_reduce.cuh")) continue;
    for (const char* names : {"", "using namespace std;\n"}) {
      const std::string text =
          std::string(before) + names +
          "extern \"C\" __global__ void f(double* a, int n, unsigned u, float x) {\n"
          "  a[0] = sqrt(n) + floor(u / 2) + pow(x, u) + log2(n) + fmod(n, 2) + atan2(n, x) +"
          " fabs(n) + pow(n, n - 2) + hypot(n, u);\n}\n";
      EXPECT_EQ(compile(specialize(text, "f")).format, "cubin") << text;
    }
  }
}

TEST_F(StandardHeaders, TypesOfStdNeedNoHeader) {
  const std::string body =
      "template <class T, class U = enable_if_t<is_same_v<T, int>, long>> __device__ U wide(T x) { return x; "
      "}\n"
      "extern \"C\" __global__ void f(int* decay) { decay[0] = wide(decay[0]); }\n";
  EXPECT_EQ(compile(specialize("using namespace std;\n" + body, "f")).format, "cubin");
  EXPECT_THAT(fail(specialize(body, "f")).summary, HasSubstr("enable_if_t"));
}

TEST_F(StandardHeaders, ThatAreNotThereAreLeftOutOfWholePrograms) {
  const std::string text =
      "#include \"helper_cuda.h\"\n#include \"timer.h\"\nextern \"C\" __global__ void f(int* a) { a[0] = 1; "
      "}";
  Specialization program = specialize(text, "f");
  program.left_out = {"main"};
  const CodeObject code = compile(program);
  EXPECT_THAT(code.log, HasSubstr("'helper_cuda.h', 'timer.h' were not found"));
  Specialization user =
      specialize("#include \"real.h\"\nextern \"C\" __global__ void f(real* a) { a[0] = 1; }", "f");
  user.left_out = {"main"};
  const Diagnostic used = fail(user);
  EXPECT_THAT(used.summary, AllOf(HasSubstr("kernel.cu(2): error"), HasSubstr("'real.h' was not found")));
  // A text of kernels alone may need a macro of it.
  EXPECT_THAT(
      fail(specialize(text, "f")).summary,
      AllOf(HasSubstr("kernel.cu(1): "), HasSubstr("'helper_cuda.h' is neither beside the kernel text")));
}

TEST_F(StandardHeaders, OfCudaFindWhatTheyNeed) {
  if (!has_cuda_headers("cub/cub.cuh") || !has_cuda_headers("thrust/complex.h"))
    GTEST_SKIP() << "CUDA's core libraries are not here";
  EXPECT_EQ(compile(specialize("#include <cub/cub.cuh>\nextern \"C\" __global__ void f(float* out) { "
                               "typedef cub::WarpReduce<float> W; __shared__ typename W::TempStorage t; "
                               "out[0] = W(t).Sum(threadIdx.x); }",
                               "f"))
                .format,
            "cubin");
  EXPECT_EQ(
      compile(specialize("#include <thrust/complex.h>\nextern \"C\" __global__ void f(float* out) { "
                         "thrust::complex<float> c(1, out[1]); out[0] = thrust::abs(thrust::exp(c * c)); }",
                         "f"))
          .format,
      "cubin");
}

/// CUDA's own headers of them are for nvcc: they have host functions and include <memory>.
TEST_F(StandardHeaders, OfThrustsAlgorithmsAreThoseOfKiln) {
  EXPECT_EQ(compile(specialize(R"(#include <thrust/execution_policy.h>
#include <thrust/sort.h>
#include <thrust/reduce.h>
#include <thrust/binary_search.h>
#include <thrust/swap.h>
struct Greater { __device__ bool operator()(float a, float b) const { return a > b; } };
extern "C" __global__ void f(float* out, int n) {
  thrust::sort(thrust::seq, out, out + n);
  int places[4] = {0, 1, 2, 3};
  thrust::stable_sort_by_key(thrust::device, out, out + 4, places, Greater());
  out[0] = thrust::reduce(thrust::seq, out, out + n, 0.0f) + places[0];
  out[1] = thrust::lower_bound(out, out + n, 2.0f) - out;
  out[2] = *thrust::equal_range(thrust::seq, out, out + n, 2.0f).first;
  thrust::swap(out[3], out[4]);
})",
                               "f"))
                .format,
            "cubin");
}

TEST_F(StandardHeaders, OfTheDriverCanBeIncluded) {
  const Specialization specialization = specialize(R"(#include <cuda.h>
extern "C" __global__ void f(int* a, const __grid_constant__ CUtensorMap map) { *a = sizeof(map); })",
                                                   "f");
  if (open_nvrtc(places_, *files_).major < 12) GTEST_SKIP() << "tensor maps came with CUDA 12";
  EXPECT_EQ(compile(specialization).format, "cubin");
}

/// HIP's operators and constructors of vectors, and functions that AMD's compiler has built in.
TEST_F(StandardHeaders, OfHipHaveItsVectors) {
  const std::string kernel = R"(
extern "C" __global__ void f(float4* a, int* b, float* c) {
  float4 v = a[0] + 2.0f * a[1] - a[2] / 4;
  v *= float4(1.0f);
  v -= float4(1, 2, 3, 4);
  a[threadIdx.x] = -v;
  int4 w = int4(v) << 2;
  w ^= ~int4(3);
  ++w;
  b[0] = (w.x == w.y) + (a[0] != a[1]);
  b[1] = __builtin_amdgcn_update_dpp(0, b[threadIdx.x], 0x111, 0xf, 0xf, false);
  b[2] = __builtin_amdgcn_ds_swizzle(b[3], 0x401f) + __builtin_amdgcn_sbfe(b[4], 3, 5);
  b[3] = __builtin_amdgcn_perm(b[4], b[5], 0x07060100u);
  c[1] = __builtin_amdgcn_fmed3f(c[2], c[3], 4.0f);
  atomicMax(c, v.x);
})";
  const auto translated = [&](const std::string& include) {
    Specialization specialization = specialize("#include <" + include + ">" + kernel, "f");
    specialization.target.arch = "sm_90";
    translate_hip_words(specialization);
    return specialization;
  };
  EXPECT_EQ(compile(translated("hip/hip_runtime.h")).format, "cubin");
  EXPECT_EQ(compile(translated("hip/hip_vector_types.h")).format, "cubin");
  if (open_nvrtc(places_, *files_).major < 12) GTEST_SKIP() << "libcu++ needs CUDA 12";
  EXPECT_EQ(compile(translated("hip/hip_cooperative_groups.h")).format, "cubin");
}

TEST_F(StandardHeaders, OfCudaThatAreNotThereAreNamedWithWhatToInstall) {
  const auto alone = make_alone();
  const std::string kernel = "\nextern \"C\" __global__ void f(int* a) { *a = 1; }";
  const Diagnostic half = fail(specialize("#include <cuda_fp16.h>" + kernel, "f"), alone.get());
  EXPECT_THAT(half.summary,
              AllOf(StartsWith("kernel.cu(1): "), HasSubstr("pip install nvidia-cuda-runtime")));
  EXPECT_FALSE(half.environment);
  const Diagnostic traits = fail(specialize("#include <type_traits>" + kernel, "f"), alone.get());
  EXPECT_THAT(traits.summary, AllOf(HasSubstr("libcu++"), HasSubstr("pip install nvidia-cuda-cccl")));
}

}  // namespace
}  // namespace kiln::test
