// Shuffles, votes and reductions of kernel texts.
#include <gtest/gtest.h>

#include <numeric>

#include "device/cpu/kernel_fixture.h"

namespace kiln::test {
namespace {

using CpuWarp = CpuKernel;
INSTANTIATE_TEST_SUITE_P(Compilers, CpuWarp, ::testing::Values("g++", "clang++"), compiler_label);

TEST_P(CpuWarp, CombinesPredicatesAtBarriers) {
  DeviceFunction& k = kernels_.build(R"(extern "C" __global__ void k(int* a) {
  int count = __syncthreads_count(threadIdx.x % 3 == 0);
  int all = __syncthreads_and(threadIdx.x < 100), all_not = __syncthreads_and(threadIdx.x < 99);
  int any = __syncthreads_or(threadIdx.x == 7), none = __syncthreads_or(threadIdx.x == 100);
  a[threadIdx.x] = count * 10000 + all * 1000 + all_not * 100 + any * 10 + none;
})",
                                     "k");
  std::vector<int> a(100);
  kernels_.run(k, {{1, 1, 1}, {100, 1, 1}, 0}, a.data());
  for (const int value : a) EXPECT_EQ(value, 341010);
}

TEST_P(CpuWarp, ShufflesWithinWarps) {
  DeviceFunction& k = kernels_.build(R"(extern "C" __global__ void k(int* a, double* d) {
  int t = threadIdx.x, v = 100 * blockIdx.x + t;
  a[t * 9 + 0] = __shfl_sync(0xffffffff, v, 5);
  a[t * 9 + 1] = __shfl_up_sync(0xffffffff, v, 3);
  a[t * 9 + 2] = __shfl_down_sync(0xffffffff, v, 3);
  a[t * 9 + 3] = __shfl_xor_sync(0xffffffff, v, 9);
  a[t * 9 + 4] = __shfl_sync(0xffffffff, v, 9, 8);
  a[t * 9 + 5] = __shfl_down_sync(0xffffffff, v, 6, 8);
  a[t * 9 + 6] = __shfl_up_sync(0xffffffff, v, 40);
  a[t * 9 + 7] = __shfl_down_sync(0xffffffff, v, 35 + 0 * t);
  a[t * 9 + 8] = __shfl_xor_sync(0xffffffff, v, 41);
  d[t] = __shfl_down_sync(0xffffffffu, 0.5 * t, 1) + (double)__shfl_xor_sync(0xffffffffu, 1ll << 40, 1);
})",
                                     "k");
  std::vector<int> a(576);
  std::vector<double> d(64);
  kernels_.run(k, {{1, 1, 1}, {64, 1, 1}, 0}, a.data(), d.data());
  for (int t = 0; t < 64; ++t) {
    const int lane = t % 32, warp = t - lane;
    const int* got = &a[static_cast<std::size_t>(t) * 9];
    EXPECT_EQ(got[0], warp + 5);
    EXPECT_EQ(got[1], lane < 3 ? t : t - 3);
    EXPECT_EQ(got[2], lane > 28 ? t : t + 3);
    EXPECT_EQ(got[3], warp + (lane ^ 9));
    EXPECT_EQ(got[4], t / 8 * 8 + 1);
    EXPECT_EQ(got[5], t % 8 < 2 ? t + 6 : t);
    // A GPU takes the last five bits of a distance.
    EXPECT_EQ(got[6], lane < 8 ? t : t - 8);
    EXPECT_EQ(got[7], lane > 28 ? t : t + 3);
    EXPECT_EQ(got[8], warp + (lane ^ 9));
    EXPECT_EQ(d[static_cast<std::size_t>(t)], 0.5 * (lane == 31 ? t : t + 1) + 1099511627776.0);
  }
}

TEST_P(CpuWarp, SplitsAtABarrierOfWarpsBetweenTwoRangesOfLanes) {
  DeviceFunction& k = kernels_.build(R"(extern "C" __global__ void k(const int* a, int* b, int n) {
  __shared__ int x[64], y[65];
  const int t = threadIdx.x;
  x[t] = a[t];
  __syncthreads();
  for (int i = 0; i < 2; ++i) {
    int h = 0;
    if (t < n && t >= i) h = x[t - i];
    __syncwarp();
    if (t < n) y[t + i] = h;
    __syncthreads();
  }
  b[t] = y[t];
})",
                                     "k");
  EXPECT_EQ(k.attributes().fibers_because.value_or(""), "");
  constexpr int kSome = 50;
  std::vector<int> a(64), b(64);
  std::iota(a.begin(), a.end(), 100);
  kernels_.run(k, {{1, 1, 1}, {64, 1, 1}, 0}, a.data(), b.data(), kSome);
  EXPECT_EQ(b[0], a[0]);
  for (std::size_t t = 1; t < kSome; ++t) EXPECT_EQ(b[t], t == 1 ? 0 : a[t - 2]) << t;
}

TEST_P(CpuWarp, VotesWithMasksPartialWarpsAndLanesThatLeft) {
  DeviceFunction& k = kernels_.build(R"(extern "C" __global__ void k(unsigned* a) {
  int t = threadIdx.x;
  a[t * 4] = __ballot_sync(0xffffffffu, t % 3 == 0);
  if (t % 2 == 0) {
    a[t * 4 + 1] = __ballot_sync(0x55555555u, t % 4 == 0);
    a[t * 4 + 2] = __any_sync(0x55555555u, t == 6) * 10 + __all_sync(0x55555555u, t < 38);
  } else {
    a[t * 4 + 1] = __activemask();
    if (t == 33) return;
    __syncwarp(0xaaaaaaaau);
  }
  a[t * 4 + 3] = __shfl_sync(0xffffffffu, t, 4) + __popc(__match_any_sync(0xffffffffu, t / 5));
})",
                                     "k");
  std::vector<unsigned> a(160);
  kernels_.run(k, {{1, 1, 1}, {40, 1, 1}, 0}, a.data());
  EXPECT_EQ(a[0], 0x49249249U);
  EXPECT_EQ(a[4], 0x49249249U);
  EXPECT_EQ(a[132], 0x92U);  // lanes 1, 4 and 7 of the second warp, which has 8
  EXPECT_EQ(a[9], 0x11111111U);
  EXPECT_EQ(a[10], 11U);
  EXPECT_EQ(a[138], 0U);  // lane 38 votes against
  EXPECT_EQ(a[129], 0x11U);
  EXPECT_EQ(a[43], 4U + 5);
  EXPECT_EQ(a[131], 36U + 2);  // 32 and 34: 33 has left
}

TEST_P(CpuWarp, ReducesWithPortableHelpersAndCooperativeGroups) {
  DeviceFunction& k = kernels_.build(R"(#include "kiln/params.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(double* a) {
  double v = threadIdx.x + 1;
  double whole = kiln::block_reduce_sum<128>(v, threadIdx.x);
  double warp = kiln::warp_reduce_sum(v);
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  double part = cg::reduce(tile, v, cg::plus<double>());
  block.sync();
  a[threadIdx.x * 4] = whole;
  a[threadIdx.x * 4 + 1] = warp;
  a[threadIdx.x * 4 + 2] = part;
  a[threadIdx.x * 4 + 3] = tile.thread_rank() + 100 * tile.meta_group_rank() + block.size();
})",
                                     "k");
  std::vector<double> a(512);
  kernels_.run(k, {{1, 1, 1}, {128, 1, 1}, 0}, a.data());
  EXPECT_EQ(a[0], 128.0 * 129 / 2);
  EXPECT_EQ(a[129], (33 + 64) * 16.0);
  EXPECT_EQ(a[54], 9 + 10 + 11 + 12 + 13 + 14 + 15 + 16);
  EXPECT_EQ(a[55], 5 + 100 + 128);
}

}  // namespace
}  // namespace kiln::test
