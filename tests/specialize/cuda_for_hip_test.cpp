#include "specialize/cuda_for_hip.h"

#include <gtest/gtest.h>

namespace kiln {
namespace {

std::string fitted(const std::string& text, const std::string& backend = "hip") {
  Specialization spec;
  spec.target.backend = backend;
  spec.source_text = text;
  fit_cuda_for_hip(spec);
  return spec.source_text;
}

TEST(CudaForHip, VectorsAreNoNumbers) {
  EXPECT_EQ(fitted("float4 a[2][N] = {0}, b;"), "float4 a[2][N] = {}, b;");
  EXPECT_EQ(fitted("uint2 a{0u};"), "uint2 a{};");
  EXPECT_EQ(fitted("const float3 a[M * 2]{0.0f};"), "const float3 a[M * 2]{};");
  for (const char* other :
       {"float a[2] = {0};", "float4 a = {1};", "float4 a = {0, 1, 2, 3};", "int4 a[2];", "Float4 a{0};"})
    EXPECT_EQ(fitted(other), other);
  EXPECT_EQ(fitted("float4 a[2] = {0};", "cpu"), "float4 a[2] = {0};");
}

TEST(CudaForHip, APragmaOfNoIterations) {
  EXPECT_EQ(fitted("#pragma unroll 0\nfor"), "#pragma nounroll\nfor");
  EXPECT_EQ(fitted("#pragma unroll(0)\nfor"), "#pragma nounroll\nfor");
  EXPECT_EQ(fitted("#pragma unroll 10\nfor"), "#pragma unroll 10\nfor");
}

TEST(CudaForHip, SpecialisationsOfTemplatesForDevices) {
  const std::string primary = "template <class T> __device__ T f(T x) { return x; }\n";
  EXPECT_EQ(fitted(primary + "template <> __host__ __device__ int f(int x) { return 1; }\n"),
            primary + "template <>  __device__ int f(int x) { return 1; }\n");
  const std::string both =
      "template <class T> __host__ __device__ T g(T x) { return x; }\n"
      "template <> __host__ __device__ int g(int x) { return 1; }\n";
  EXPECT_EQ(fitted(both), both);
}

TEST(CudaForHip, WhatATextDefinesItself) {
  Specialization spec;
  spec.source_text =
      "namespace a {\ntemplate <class T> __device__ T __shfl_sync(unsigned m, T x, int l) { return x; }\n}\n"
      "__device__ float atomicMin(float* a, float x) { return x; }\n"
      "__device__ int atomicMax(int* a, float x) { return 0; }\n"
      "__device__ int g(int* a) { return atomicAdd(a, __shfl_up_sync(~0u, 1, 2)); }\n";
  EXPECT_TRUE(declares_template(spec, "__shfl_sync"));
  EXPECT_FALSE(declares_template(spec, "__shfl_up_sync"));
  EXPECT_FALSE(declares_template(spec, "atomicMin"));
  EXPECT_TRUE(declares_for_reals(spec, "atomicMin"));
  EXPECT_FALSE(declares_for_reals(spec, "atomicMax"));
  EXPECT_FALSE(declares_for_reals(spec, "atomicAdd"));
}

TEST(CudaForHip, FunctionsForBothSidesWithoutKernels) {
  const std::string on = "_Pragma(\"clang force_cuda_host_device begin\")",
                    off = "_Pragma(\"clang force_cuda_host_device end\")";
  Specialization spec;
  spec.source_text = "int a;\nvoid g(int);\nextern \"C\" __global__ void k(int* a) {}\n";
  spec.headers = {{"a.h", "/a.h", "namespace n {\n__global__ void k(int* a,\n  int n);\n}\n"}};
  make_functions_for_both_sides(spec);
  EXPECT_EQ(spec.source_text, on + " int a;\nvoid g(int);\n" + off +
                                  " extern \"C\" __global__ void k(int* a) {} " + on + "\n\n" + off + "\n");
  EXPECT_EQ(spec.headers[0].text,
            "namespace n {\n" + off + " __global__ void k(int* a,\n  int n); " + on + "\n}\n");
}

}  // namespace
}  // namespace kiln
