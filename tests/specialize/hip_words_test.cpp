#include "specialize/hip_words.h"
#include "specialize/nvcc_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln {
namespace {

using testing::ElementsAre;

std::string translated(const std::string& text, const std::string& backend,
                       Specialization* result = nullptr) {
  Specialization spec;
  spec.source_text = text;
  spec.target.backend = backend;
  spec.unseen_headers = {"hip/hip_fp16.h", "hip/hip_runtime.h", "stdio.h"};
  translate_hip_words(spec);
  if (result != nullptr) *result = spec;
  return spec.source_text;
}

TEST(HipWords, BecomeThoseOfCuda) {
  Specialization spec;
  EXPECT_EQ(
      translated("#include \"hip/hip_runtime.h\"\nint i = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;\n",
                 "cpu", &spec),
      "#include <cuda_runtime.h>\nint i = blockIdx.x * blockDim.x + threadIdx.x;\n");
  EXPECT_THAT(spec.unseen_headers, ElementsAre("cuda_fp16.h", "cuda_runtime.h", "stdio.h"));
}

/// Kiln's header has the operators that HIP's vectors have, for a text that names a vector.
TEST(HipWords, OfVectorsBringTheirOperators) {
  for (const char* const backend : {"cpu", "cuda"}) {
    Specialization spec;
    EXPECT_EQ(
        translated("#include <hip/hip_runtime.h>\nfloat4 f(float4 a) { return 2.0f * a; }\n", backend, &spec),
        "#include <kiln/hip_vectors.h>\nfloat4 f(float4 a) { return 2.0f * a; }\n");
    EXPECT_THAT(spec.unseen_headers,
                ElementsAre("cuda_fp16.h", "cuda_runtime.h", "kiln/hip_vectors.h", "stdio.h"));
  }
  const std::string text = "#include <hip/hip_runtime.h>\nfloat4 f(float4 a) { return 2.0f * a; }\n";
  EXPECT_EQ(translated(text, "hip"), text);
  EXPECT_EQ(translated("#include <hip/hip_runtime.h>\nint float44;\n", "cpu"),
            "#include <cuda_runtime.h>\nint float44;\n");
}

TEST(HipWords, OfCooperativeGroupsAreCudasHeaderEverywhere) {
  for (const char* backend : {"cpu", "cuda", "hip"}) {
    Specialization spec;
    spec.source_text = "#include <hip/hip_runtime.h>\n#include <hip/hip_cooperative_groups.h>\n";
    spec.target.backend = backend;
    spec.unseen_headers = {"hip/hip_cooperative_groups.h", "hip/hip_runtime.h"};
    translate_hip_words(spec);
    const std::string runtime = spec.target.backend == "hip" ? "hip/hip_runtime.h" : "cuda_runtime.h";
    EXPECT_EQ(spec.source_text, "#include <" + runtime + ">\n#include <cooperative_groups.h>\n");
    EXPECT_THAT(spec.unseen_headers, ElementsAre("cooperative_groups.h", runtime));
  }
}

TEST(HipWords, OfLibrariesAreThoseOfCudasLibraries) {
  Specialization spec;
  spec.source_text =
      "#include <hipcub/block/block_scan.hpp>\n#include <hiprand/hiprand_kernel.h>\n"
      "hipcub::BlockScan<int, 64> s; hiprandState_t r; hipDoubleComplex z = "
      "make_hipDoubleComplex(hipCabs(a), "
      "hipCrealf(b)); hipCalled(c);\n";
  spec.target.backend = "cuda";
  spec.unseen_headers = {"hipcub/block/block_scan.hpp", "hiprand/hiprand_kernel.h"};
  Specialization other = spec;
  translate_hip_words(spec);
  EXPECT_EQ(spec.source_text,
            "#include <cub/cub.cuh>\n#include <curand_kernel.h>\n"
            "cub::BlockScan<int, 64> s; curandState_t r; cuDoubleComplex z = make_cuDoubleComplex(cuCabs(a), "
            "cuCrealf(b)); hipCalled(c);\n");
  EXPECT_THAT(spec.unseen_headers, ElementsAre("cub/cub.cuh", "curand_kernel.h"));
  other.target.backend = "hip";
  const std::string before = other.source_text;
  translate_hip_words(other);
  EXPECT_EQ(other.source_text, before);
}

TEST(HipWords, ForVectorsIncludeHipsOperators) {
  const std::string include = "#include <hip/hip_runtime.h>\n";
  EXPECT_EQ(translated(include + "float4 a;\n", "cpu"), "#include <kiln/hip_vectors.h>\nfloat4 a;\n");
  Specialization spec;
  EXPECT_EQ(translated(include + "#define MAX(p, x) atomicMax(p, x)\n", "cuda", &spec),
            "#include <kiln/hip_vectors.h>\n#define MAX(p, x) atomicMax(p, x)\n");
  EXPECT_THAT(spec.unseen_headers,
              ElementsAre("cuda_fp16.h", "cuda_runtime.h", "kiln/hip_vectors.h", "stdio.h"));
  EXPECT_EQ(translated(include + "float4 a;\n", "hip"), include + "float4 a;\n");
}

TEST(HipWords, OfTheCompilerAreTranslatedInsideOfEachOther) {
  EXPECT_EQ(
      translated("a = __builtin_amdgcn_ds_bpermute(4 * (i + 1), f(__builtin_amdgcn_workitem_id_x(), 2));\n"
                 "__builtin_amdgcn_s_barrier();\n",
                 "cpu"),
      "a = __shfl_sync(__activemask(),  f(threadIdx.x, 2), (4 * (i + 1)) >> 2);\n__syncthreads();\n");
  EXPECT_EQ(translated("#define SYNC __builtin_amdgcn_s_barrier()\n", "cuda"),
            "#define SYNC __syncthreads()\n");
  const std::string streamed = "hip(); __builtin_nontemporal_store(__builtin_nontemporal_load(a + 1), b);";
  EXPECT_EQ(translated(streamed, "cpu"), "hip(); ((void)(*( b) = ((*(a + 1)))));");
  EXPECT_EQ(translated(streamed, "hip"), streamed);
  EXPECT_EQ(
      translated(
          "a = __builtin_amdgcn_alignbit(h, l, 3) + __builtin_amdgcn_logf(x) + __hip_atomic_fetch_add(p, 1, "
          "__ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);",
          "cpu"),
      "a = __funnelshift_r( l, h,  3) + log2f(x) + atomicAdd(p,  1);");
  const std::string add = "hip(); unsafeAtomicAdd(&a[0], 1.0f); safeAtomicAdd(b, c);";
  EXPECT_EQ(translated(add, "cuda"), "hip(); atomicAdd(&a[0], 1.0f); atomicAdd(b, c);");
  EXPECT_EQ(translated(add, "hip"), add);
}

TEST(HipWords, WithoutMasksAreForCudaAlone) {
  EXPECT_EQ(translated("hip(); v = __shfl_down(v, 4);", "cuda"),
            "hip(); v = __shfl_down_sync(__activemask(), v, 4);");
  EXPECT_EQ(translated("hip(); v = __shfl_down(v, 4);", "cpu"), "hip(); v = __shfl_down(v, 4);");
}

TEST(HipWords, OfDynamicSharedMemoryAreWrittenOutEverywhere) {
  for (const char* backend : {"cpu", "cuda", "hip"})
    EXPECT_EQ(translated("HIP_DYNAMIC_SHARED(float, tile);", backend), "extern __shared__ float tile[];");
  EXPECT_EQ(translated("HIP_DYNAMIC_SHARED( float, tile)\nint i;", "cpu"),
            "extern __shared__ float tile[];\nint i;");
  EXPECT_EQ(translated("int i = hipThreadIdx_x; __builtin_amdgcn_s_barrier();", "hip"),
            "int i = threadIdx.x; __builtin_amdgcn_s_barrier();");
}

TEST(HipWords, CompoundOperatorsOfVectorsAreHips) {
  const std::string others =
      "__device__ void operator+=(float4 &a, float b) { a.x += b; }\n"
      "__device__ float4 operator+(float4 a, float4 b) { return a; }\n"
      "struct S { S& operator+=(S b) { return *this; } };\n"
      "__device__ void operator+=(S &a, S b) {}\n";
  const std::string text =
      "inline __device__ void operator+=(float4 &a, const float4 b) {\n  a.x += b.x;\n}\n" + others;
  EXPECT_EQ(translated(text, "hip"), "\n\n\n" + others);
  EXPECT_EQ(translated(text, "cuda"), text);
  EXPECT_EQ(translated("namespace n {\nint2& operator*=(int2& a, int2 b) { return a; }\n}\n", "hip"),
            "namespace n {\n\n}\n");
}

/// A text for both vendors has words of its own.
TEST(HipWords, ThatATextDefinesAreItsOwn) {
  const std::string macro = "#define hipThreadIdx_x threadIdx.x\n";
  EXPECT_EQ(translated(macro + "int i = hipThreadIdx_x;\n", "cpu"), macro + "int i = threadIdx.x;\n");
  const std::string types = "class __hip_bfloat16;\nclass __nv_bfloat16;\nWide<__hip_bfloat16> wide;\n";
  EXPECT_EQ(translated(types, "cuda"), types);
  EXPECT_EQ(translated("hip_bfloat16 a;\n", "cpu"), "__nv_bfloat16 a;\n");
  EXPECT_EQ(translated("hip_bfloat16 a;\n", "hip"), "hip_bfloat16 a;\n");
}

TEST(HipWords, ThatAreUnknownOrIncompleteStay) {
  for (const char* text : {"__builtin_amdgcn_mfma_f32_4x4x1f32(a, b)", "__builtin_amdgcn_readlane(",
                           "HIP_DYNAMIC_SHARED(a)", "HIP_DYNAMIC_SHARED"})
    EXPECT_EQ(translated(text, "cpu"), text);
}

TEST(NvccWords, ClangTakesNoRestrictOfValues) {
  const auto for_backend = [](const std::string& backend) {
    Specialization specialization;
    specialization.target.backend = backend;
    specialization.source_text =
        "void f(const uint32_t __restrict__ n, float* __restrict__ a, const __restrict__ int* b);";
    translate_nvcc_words(specialization);
    return specialization.source_text;
  };
  EXPECT_EQ(for_backend("hip"), "void f(const uint32_t  n, float* __restrict__ a, const  int* b);");
  EXPECT_EQ(for_backend("cuda"),
            "void f(const uint32_t __restrict__ n, float* __restrict__ a, const  int* b);");
}

}  // namespace
}  // namespace kiln
