// Types of Thrust, names of CUDA's runtime, and static objects in kernel texts.
#include <gtest/gtest.h>

#include <complex>

#include "device/cpu/kernel_fixture.h"

namespace kiln::test {
namespace {

using CpuLibraryTypes = CpuKernel;
INSTANTIATE_TEST_SUITE_P(Compilers, CpuLibraryTypes, ::testing::Values("g++", "clang++"), compiler_label);

TEST_P(CpuLibraryTypes, ThrustComplexComputesAsTheStandardLibrary) {
  DeviceFunction& k = kernels_.build(R"(#include <thrust/complex.h>
using C = thrust::complex<double>;
extern "C" __global__ void k(C* out, const C* in) {
  const C a = in[0], b = in[1];
  out[0] = a * b + 2.0 - b / a;
  out[1] = thrust::exp(a) * thrust::conj(b);
  out[2] = thrust::sqrt(b) + thrust::pow(a, 3.0);
  out[3] = thrust::log(a) + thrust::polar(2.0, 0.5);
  out[4] = C(thrust::abs(a), thrust::arg(b)) + thrust::norm(b);
  out[5] = thrust::sin(a) + thrust::cos(b);
  C c = thrust::complex<float>(1.5f, -2.0f);
  c -= a; c *= b; c /= 3.0; c += 1.0;
  out[6] = a == b ? C() : c;
})",
                                     "k");
  using C = std::complex<double>;
  const C in[2] = {{0.75, -1.25}, {-2.0, 0.5}};
  C out[7] = {};
  kernels_.run(k, {{1, 1, 1}, {1, 1, 1}, 0}, &out[0], &in[0]);
  const C a = in[0], b = in[1];
  const C expected[7] = {a * b + 2.0 - b / a,
                         std::exp(a) * std::conj(b),
                         std::sqrt(b) + std::pow(a, 3.0),
                         std::log(a) + std::polar(2.0, 0.5),
                         C(std::abs(a), std::arg(b)) + std::norm(b),
                         std::sin(a) + std::cos(b),
                         (C(1.5, -2.0) - a) * b / 3.0 + 1.0};
  for (int i = 0; i < 7; ++i) EXPECT_LT(std::abs(out[i] - expected[i]), 1e-13 * std::abs(expected[i])) << i;
}

TEST_P(CpuLibraryTypes, PairsTuplesAndIntegersOfStd) {
  DeviceFunction& k = kernels_.build(R"(#include <thrust/pair.h>
#include <thrust/tuple.h>
__device__ thrust::pair<int, float> both(int x) { return thrust::make_pair(x, 0.5f); }
extern "C" __global__ void k(double* out) {
  int a; double b;
  thrust::tie(a, b) = thrust::make_tuple(3, 4.5);
  std::uint64_t wide = UINT32_MAX;
  wide += std::int8_t(INT8_MIN) < 0;
  if (out == NULL) return;
  out[0] = a + b + both(2).first + thrust::get<1>(both(2)) + double(wide >> 32);
})",
                                     "k");
  double out = 0;
  kernels_.run(k, {{1, 1, 1}, {1, 1, 1}, 0}, &out);
  EXPECT_EQ(out, 3 + 4.5 + 2 + 0.5 + 1);
}

TEST_P(CpuLibraryTypes, HalfAndBfloat16AreConvertedIntoEachOther) {
  DeviceFunction& k = kernels_.build(R"(#include <cuda_fp16.h>
#include <cuda_bf16.h>
template <class To, class From> __device__ To as(From x) { return static_cast<To>(x); }
extern "C" __global__ void k(float* out) {
  out[0] = __half2float(as<__half>(__float2bfloat16(3.140625f)));
  out[1] = __bfloat162float(as<__nv_bfloat16>(__float2half(1.0009765625f)));
})",
                                     "k");
  float out[2] = {};
  kernels_.run(k, {{1, 1, 1}, {1, 1, 1}, 0}, &out[0]);
  EXPECT_EQ(out[0], 3.140625F);
  EXPECT_EQ(out[1], 1.0F);
}

TEST_P(CpuLibraryTypes, ChecksOfCudasRuntimeInDeviceCodeSucceed) {
  DeviceFunction& k = kernels_.build(R"(
#define CHECK(call) check((call), __LINE__)
__device__ void check(cudaError_t code, int line) {
  if (code != cudaSuccess) printf("%s in line %d\n", cudaGetErrorString(code), line);
}
extern "C" __global__ void k(int* out) {
  CHECK(cudaGetLastError());
  *out = cudaPeekAtLastError() == cudaSuccess ? 7 : 0;
})",
                                     "k");
  int out = 0;
  kernels_.run(k, {{1, 1, 1}, {1, 1, 1}, 0}, &out);
  EXPECT_EQ(out, 7);
}

TEST_P(CpuLibraryTypes, StaticObjectsAreMadeAndDestroyed) {
  DeviceFunction& k = kernels_.build(R"(#include <iostream>
struct Table {
  int* data;
  Table() : data(static_cast<int*>(malloc(sizeof(int)))) { *data = 11; }
  ~Table() { free(data); }
};
static Table table;
extern "C" __global__ void k(int* out) { *out = *table.data; })",
                                     "k");
  int out = 0;
  kernels_.run(k, {{1, 1, 1}, {1, 1, 1}, 0}, &out);
  EXPECT_EQ(out, 11);
}

}  // namespace
}  // namespace kiln::test
