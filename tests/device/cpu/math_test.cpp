// Math functions and random numbers of kernel texts.
#include <gtest/gtest.h>

#include <cmath>

#include "compile/portable/portable.h"
#include "device/cpu/kernel_fixture.h"

namespace kiln::test {
namespace {

using CpuMath = CpuKernel;
INSTANTIATE_TEST_SUITE_P(Compilers, CpuMath, ::testing::Values("g++", "clang++"), compiler_label);

TEST_P(CpuMath, LivesBesideStandardHeadersAndCudaOnes) {
  DeviceFunction& k = kernels_.build(R"(#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <cstdint>
#include <cstdio>
#include <cmath>
#include <math.h>
#include <cfloat>
#include <climits>
#include <cassert>
#include <cstring>
#include <algorithm>
using namespace std;
__device__ __noinline__ uint64_t twice(uint32_t x) { return 2 * (uint64_t)x; }
extern "C" __global__ void k(double* a, float* f) {
  int t = threadIdx.x;
  assert(t < 4);
  a[t] = sin(0.5 * t) + fabs(-1.0) + max(t, 2) + min(3.0, 4.0) + twice(t) + pow(2.0, t) + abs(-t);
  f[t] = sqrt((float)t) + sinf(0.25f) + fmaxf(1.0f, 2.0f) + max(1.0f, 3.0f) + rsqrtf(4.0f) + std::exp(1.0f);
  if (isnan(a[t]) || isinf(f[t])) a[t] = FLT_MAX;
})",
                                     "k");
  double a[4] = {};
  float f[4] = {};
  kernels_.run(k, {{1, 1, 1}, {4, 1, 1}, 0}, &a[0], &f[0]);
  for (int t = 0; t < 4; ++t) {
    EXPECT_DOUBLE_EQ(a[t], std::sin(0.5 * t) + 1 + std::max(t, 2) + 3 + 2 * t + std::pow(2.0, t) + t);
    EXPECT_FLOAT_EQ(f[t], std::sqrt(static_cast<float>(t)) + std::sin(0.25F) + 2 + 3 + 0.5F + std::exp(1.0F));
  }
}

TEST_P(CpuMath, LivesBesideMacrosOfOneLetter) {
  std::string macros, waits = "__syncthreads();";
  for (char c = 'A'; c <= 'Z'; ++c) macros += std::string("#define ") + c + " 1\n";
  for (const std::string& wait : {std::string(), waits}) {
    DeviceFunction& k =
        kernels_.build(macros + "extern \"C\" __global__ void k(int* a) { " + wait + " a[0] = R + N; }", "k");
    int a = 0;
    kernels_.run(k, {{1, 1, 1}, {1, 1, 1}, 0}, &a);
    EXPECT_EQ(a, 2);
  }
}

TEST_P(CpuMath, HasCudasComplexNumbersAndEmptyHeadersOfTypes) {
  DeviceFunction& k = kernels_.build(R"(#include <vector_types.h>
#include <vector_functions.h>
#include <device_functions.h>
#include <cuComplex.h>
extern "C" __global__ void k(cuDoubleComplex* a) {
  const cuDoubleComplex x = make_cuDoubleComplex(1, 2), y = make_cuDoubleComplex(3, -4);
  a[0] = cuCmul(x, y);                        // 11 + 2i
  a[1] = cuCdiv(a[0], cuConj(cuConj(y)));     // x
  a[2] = make_cuDoubleComplex(cuCabs(make_cuDoubleComplex(3e200, 4e200)), cuCabs(make_cuDoubleComplex(0, -2)));
  a[3] = cuCadd(cuCfma(x, y, x), cuComplexFloatToDouble(cuCsubf(make_cuComplex(1, 1), make_cuFloatComplex(0, 2))));
})",
                                     "k");
  double a[8] = {};
  kernels_.run(k, {{1, 1, 1}, {1, 1, 1}, 0}, &a[0]);
  const double expected[] = {11, 2, 1, 2, 5e200, 2, 13, 3};
  for (int i = 0; i < 8; ++i) EXPECT_NEAR(a[i] / expected[i], 1, 1e-14) << i;
}

TEST_P(CpuMath, HasCudaMathFunctions) {
  DeviceFunction& k = kernels_.build(R"(extern "C" __global__ void k(double* a) {
  int i = 0;
  double s, c; sincos(0.75, &s, &c);
  float fs, fc; sincosf(0.75f, &fs, &fc); float gs, gc; __sincosf(0.75f, &gs, &gc);
  a[i++] = rsqrt(16.0) + rsqrtf(16.0f) + rsqrt(16.0f);
  a[i++] = sinpi(1.0) + sinpi(0.5) + 2 * cospi(1.0) + cospi(0.5) + sinpi(-2.5);
  a[i++] = s * s + c * c + fs * fs + fc * fc + gs * gs + gc * gc;
  a[i++] = erf(0.5) + erff(0.5f) + erfc(0.5) + norm3d(1.0, 2.0, 2.0) + hypot(3.0, 4.0) + cbrt(27.0);
  a[i++] = fma(2.0, 3.0, 4.0) + __fmaf_rn(2.0f, 3.0f, 4.0f) + __fdividef(8.0f, 2.0f) + __dadd_rn(1.0, 2.0);
  a[i++] = __expf(0.0f) + __logf(1.0f) + __sinf(0.0f) + __cosf(0.0f) + __powf(2.0f, 3.0f) + __frsqrt_rn(4.0f);
  a[i++] = __saturatef(1.5f) + __saturatef(-1.0f) + __saturatef(0.25f) + fminf(1.0f, 2.0f) + min(1, 2u);
  a[i++] = __float_as_int(1.0f) == 0x3f800000 && __int_as_float(0x40000000) == 2.0f && __double2hiint(1.0) == 0x3ff00000;
  a[i++] = __popc(255u) + __popcll(~0ull) + __clz(1) + __clzll(1ll) + __ffs(8) + (__brev(1u) == 0x80000000u);
  a[i++] = __umulhi(0x80000000u, 4u) + (double)__umul64hi(1ull << 63, 4ull) + __mul24(3, 4) + __byte_perm(0x44332211u, 0u, 0x0123u) % 256;
  a[i++] = exp10(2.0) + exp2(3.0) + log2(8.0) + log10(100.0) + fabs(-1.0f) + floor(1.5) + ceilf(1.5f) + rint(2.5) + copysign(1.0, -2.0);
  int4 v = make_int4(1, 2, 3, 4); float2 w{1.0f, 2.0f}; uchar4 u = make_uchar4(1, 2, 3, 255); dim3 d(2, 3);
  a[i++] = v.x + v.y + v.z + v.w + w.x + w.y + u.w + d.x * d.y * d.z;
  a[i++] = sizeof(float4) == 16 && alignof(float4) == 16 && alignof(double2) == 16 && sizeof(float3) == 12 && alignof(int2) == 8;
  const float x[1] = {2.0f}; float y[1]; __stcs(y, __ldcs(x)); a[i++] = __ldg(x) + y[0];
  a[i++] = INFINITY > 1e30 && isinf(CUDART_INF) && isnan(NAN) && clock64() > 0;
})",
                                     "k");
  double a[15] = {};
  kernels_.run(k, {{1, 1, 1}, {1, 1, 1}, 0}, &a[0]);
  EXPECT_DOUBLE_EQ(a[0], 0.75);
  EXPECT_DOUBLE_EQ(a[1], 0 + 1 - 2 + 0 - 1);
  EXPECT_NEAR(a[2], 3.0, 1e-6);
  EXPECT_NEAR(a[3], 12 + static_cast<double>(std::erf(0.5F)), 1e-12);
  EXPECT_DOUBLE_EQ(a[4], 10 + 10 + 4 + 3);
  EXPECT_DOUBLE_EQ(a[5], 1 + 0 + 0 + 1 + 8 + 0.5);
  EXPECT_DOUBLE_EQ(a[6], 1 + 0 + 0.25 + 1 + 1);
  EXPECT_DOUBLE_EQ(a[7], 1);
  EXPECT_DOUBLE_EQ(a[8], 8 + 64 + 31 + 63 + 4 + 1);
  EXPECT_DOUBLE_EQ(a[9], 2 + 2 + 12 + 0x44);
  EXPECT_NEAR(a[10], 100 + 8 + 3 + 2 + 1 + 1 + 2 + 2 - 1, 1e-12);
  EXPECT_DOUBLE_EQ(a[11], 10 + 3 + 255 + 6);
  EXPECT_DOUBLE_EQ(a[12], 1);
  EXPECT_DOUBLE_EQ(a[13], 4);
  EXPECT_DOUBLE_EQ(a[14], 1);
}

TEST_P(CpuMath, GivesTheSameRandomNumbersAsTheHost) {
  DeviceFunction& k = kernels_.build(R"(#include "kiln/params.h"
extern "C" __global__ void k(unsigned long long* bits, double* uniform, double* normal, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  bits[i] = kiln::random_bits(42, i, 7);
  uniform[i] = kiln::uniform01(42, i);
  normal[i] = kiln::normal01(42, i);
})",
                                     "k");
  const int n = 1000;
  std::vector<unsigned long long> bits(n);
  std::vector<double> uniform(n), normal(n);
  kernels_.run(k, {{8, 1, 1}, {128, 1, 1}, 0}, bits.data(), uniform.data(), normal.data(), n);
  for (unsigned i = 0; i < n; ++i) {
    EXPECT_EQ(bits[i], random_bits(42, i, 7));
    EXPECT_EQ(uniform[i], uniform01(42, i));
    EXPECT_EQ(normal[i], normal01(42, i));
  }
}

TEST_P(CpuMath, UsesFastMathWhereAsked) {
  Specialization specialization =
      kernels_.specialize(R"(extern "C" __global__ void k(double* a, const double* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = sin(b[i]) + exp(b[i]) + pow(b[i], 1.5) + tan(b[i]);
})",
                          "k");
  specialization.fast_math = true;
  DeviceFunction& k = kernels_.build(specialization);
  std::vector<double> a(1000), b(1000);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = 0.001 * static_cast<double>(i);
  kernels_.run(k, {{4, 1, 1}, {256, 1, 1}, 0}, a.data(), b.data(), 1000);
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double exact = std::sin(b[i]) + std::exp(b[i]) + std::pow(b[i], 1.5) + std::tan(b[i]);
    EXPECT_NEAR(a[i], exact, 1e-13 * exact);
  }
}

TEST_P(CpuMath, FastRsqrtIsRightToTwoUnitsInTheLastPlace) {
  DeviceFunction& k = kernels_.build(R"(#include "kiln/params.h"
extern "C" __global__ void k(double* a) { a[threadIdx.x] = kiln::fast_rsqrt(a[threadIdx.x]); })",
                                     "k");
  double a[] = {1e-299, 1e-200, 0.3, 1, 2, 1e10, 1e299};
  const std::vector<double> of(std::begin(a), std::end(a));
  kernels_.run(k, {{1, 1, 1}, {7, 1, 1}, 0}, &a[0]);
  for (std::size_t i = 0; i < of.size(); ++i) {
    EXPECT_NEAR(a[i] * std::sqrt(of[i]), 1.0, 6e-16) << of[i];
  }
}

}  // namespace
}  // namespace kiln::test
