// Types of Thrust, names of CUDA's runtime, and static objects in kernel texts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <numeric>

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

/// Beside the standard library's results; a kernel that calls them is split at its barriers.
TEST_P(CpuLibraryTypes, AlgorithmsOfThrustByOneWorkItem) {
  DeviceFunction& k = kernels_.build(R"(#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>
struct Even { __device__ bool operator()(int x) const { return x % 2 == 0; } };
extern "C" __global__ void k(int* keys, int* places, int* sorted, double* out, const int* in, int n) {
  keys[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x != 0) return;
  thrust::copy(in, in + n, keys);
  thrust::sequence(thrust::seq, places, places + n);
  thrust::stable_sort_by_key(thrust::device, keys, keys + n, places, thrust::greater<int>());
  thrust::copy_n(thrust::seq, in, n, sorted);
  thrust::sort(thrust::seq, sorted, sorted + n);
  out[0] = thrust::reduce(thrust::seq, in, in + n);
  out[1] = thrust::reduce(thrust::seq, in, in + n, -5, thrust::maximum<int>());
  out[2] = thrust::lower_bound(thrust::seq, sorted, sorted + n, 40) - sorted;
  out[3] = thrust::upper_bound(thrust::seq, keys, keys + n, 40, thrust::greater<int>()) - keys;
  out[4] = thrust::count_if(thrust::seq, in, in + n, Even()) + 1000 * thrust::count(in, in + n, 7);
  out[5] = *thrust::min_element(thrust::seq, in, in + n) + 100 * (thrust::max_element(in, in + n) - in);
  thrust::pair<int*, int*> equal = thrust::equal_range(thrust::seq, sorted, sorted + n, 7);
  out[6] = equal.second - equal.first + 1000 * thrust::binary_search(thrust::seq, sorted, sorted + n, 1000);
  out[7] = thrust::inner_product(thrust::seq, in, in + n, sorted, 0.0);
  int few[8] = {3, 3, 1, 1, 1, 4, 3, 3}, sums[8], all[11];
  const int others[3] = {0, 3, 9};
  thrust::exclusive_scan(thrust::seq, few, few + 8, sums, 10);
  out[8] = sums[7];
  thrust::inclusive_scan(thrust::seq, few, few + 8, sums, thrust::multiplies<int>());
  out[9] = sums[6];
  const auto ends = thrust::reduce_by_key(thrust::seq, few, few + 8, few, sums, all);
  out[10] = ends.first - sums + 10 * all[1] + 100 * (ends.second - all);
  out[11] = thrust::unique(thrust::seq, few, few + 8) - few;
  out[12] = thrust::remove(thrust::seq, few, few + 4, few[0]) - few + 10 * few[1];
  thrust::transform(thrust::seq, others, others + 3, others, sums, thrust::plus<int>());
  out[13] = thrust::merge(thrust::seq, others, others + 3, sums, sums + 3, all) - all + 10 * all[3];
  out[14] = thrust::partition(thrust::seq, all, all + 6, Even()) - all + 10 * thrust::is_sorted(in, in + n);
})",
                                     "k");
  EXPECT_EQ(k.attributes().fibers_because.value_or(""), "");
  constexpr int kCount = 1000;
  std::vector<int> in(kCount), keys(kCount), places(kCount), sorted(kCount), order(kCount);
  for (int i = 0; i < kCount; ++i) {
    in[static_cast<std::size_t>(i)] = i * 7919 % 131;
    order[static_cast<std::size_t>(i)] = i;
  }
  std::vector<double> out(15);
  const int n = kCount;
  kernels_.run(k, {{1, 1, 1}, {32, 1, 1}, 0}, keys.data(), places.data(), sorted.data(), out.data(),
               in.data(), n);
  const auto at = [&](int i) { return in[static_cast<std::size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return at(a) > at(b); });
  EXPECT_EQ(places, order);
  for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(keys[i], at(order[i])) << i;
  std::vector<int> expected = in;
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(sorted, expected);
  const auto count = [&](const auto& is) {
    return static_cast<double>(std::count_if(in.begin(), in.end(), is));
  };
  const double sevens = count([](int x) { return x == 7; });
  EXPECT_EQ(out[0], std::accumulate(in.begin(), in.end(), 0));
  EXPECT_EQ(out[1], 130);
  EXPECT_EQ(out[2], count([](int x) { return x < 40; }));
  EXPECT_EQ(out[3], count([](int x) { return x >= 40; }));
  EXPECT_EQ(out[4], count([](int x) { return x % 2 == 0; }) + 1000 * sevens);
  EXPECT_EQ(out[5], 100.0 * static_cast<double>(std::max_element(in.begin(), in.end()) - in.begin()));
  EXPECT_EQ(out[6], sevens);
  EXPECT_EQ(out[7], std::inner_product(in.begin(), in.end(), expected.begin(), 0.0));
  EXPECT_THAT(std::vector<double>(out.begin() + 8, out.end()),
              testing::ElementsAre(26, 108, 4 + 30 + 400, 4, 2 + 40, 6 + 60, 4));
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

TEST_P(CpuLibraryTypes, TextsMayDefineAtomicAddOfHalfThemselves) {
  DeviceFunction& k = kernels_.build(R"(#include <cuda_fp16.h>
#include <cuda_bf16.h>
__device__ inline __half atomicAdd(__half* address, __half value) { return *address = __float2half(7.0f); }
static inline __device__ __host__ half htanh(half x) { return __float2half(0.5f * __half2float(x)); }
extern "C" __global__ void k(float* out) {
  __half own = __float2half(1.0f);
  __nv_bfloat16 of_cuda = __float2bfloat16(1.0f);
  atomicAdd(&own, own);
  const __nv_bfloat16 old = atomicAdd(&of_cuda, __float2bfloat16(2.0f));
  out[0] = __half2float(own) + __half2float(htanh(own)) - 3.5f;
  out[1] = __bfloat162float(of_cuda) + 8.0f * __bfloat162float(old);
})",
                                     "k");
  float out[2] = {};
  kernels_.run(k, {{1, 1, 1}, {1, 1, 1}, 0}, &out[0]);
  EXPECT_EQ(out[0], 7.0F);
  EXPECT_EQ(out[1], 11.0F);
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
