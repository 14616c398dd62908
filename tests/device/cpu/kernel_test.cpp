// Kernel texts through the real compiler and device: what the CUDA dialect promises, on the host.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "compile/portable/portable.h"
#include "kiln/error.h"
#include "support/cpu_kernels.h"

namespace kiln::test {
namespace {

/// Each test with each compiler that this machine has.
class CpuKernel : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!make_process_runner()->find_program(GetParam()))
      GTEST_SKIP() << "this machine has no " << GetParam();
  }

  CpuKernels kernels_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Compilers, CpuKernel, ::testing::Values("g++", "clang++"), compiler_label);

TEST_P(CpuKernel, RunsEveryWorkItemOfAGuardedOneDimensionalGridOnce) {
  Function& add = kernels_.build(R"(extern "C" __global__ void add(int* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] += i + 1;
})",
                                 "add");
  std::vector<int> a(10007, 5);
  const int guarded = 10000;
  kernels_.run(add, {{79, 1, 1}, {128, 1, 1}, 0}, a.data(), guarded);
  for (int i = 0; i < 10007; ++i) EXPECT_EQ(a[static_cast<std::size_t>(i)], i < guarded ? 6 + i : 5) << i;
}

TEST_P(CpuKernel, CountsThreeDimensionalGridsAndBlocksAsCudaDoes) {
  Function& mark = kernels_.build(R"(__global__ void mark(unsigned* a) {
  unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  a[block * blockDim.x * blockDim.y * blockDim.z + thread] += block * 1000 + thread;
})",
                                  "mark");
  std::vector<unsigned> a(3 * 4 * 5 * 7 * 3 * 2, 1);
  kernels_.run(mark, {{3, 4, 5}, {7, 3, 2}, 0}, a.data());
  for (unsigned i = 0; i < a.size(); ++i) EXPECT_EQ(a[i], 1 + i / 42 * 1000 + i % 42);
}

TEST_P(CpuKernel, ReversesThroughStaticSharedMemory) {
  Function& reverse = kernels_.build(R"(extern "C" __global__ void reverse(int* a) {
  __shared__ int tile[64];
  tile[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  a[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
})",
                                     "reverse");
  std::vector<int> a(64 * 50);
  std::iota(a.begin(), a.end(), 0);
  kernels_.run(reverse, {{50, 1, 1}, {64, 1, 1}, 0}, a.data());
  for (int i = 0; i < 64 * 50; ++i) EXPECT_EQ(a[static_cast<std::size_t>(i)], i / 64 * 64 + 63 - i % 64);
}

TEST_P(CpuKernel, GivesDynamicSharedMemoryToBlockAndNamespaceScopeArrays) {
  const std::string at_block = R"(template <class T> __global__ void k(T* a) {
  extern __shared__ __align__(16) unsigned char bytes[];
  T* tile = reinterpret_cast<T*>(bytes);
  tile[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
})";
  const std::string at_namespace = R"(extern __shared__ float whole[];
namespace inner { extern __shared__ double rows[][4]; }
__device__ void put(int i, float v) { whole[i] = v; }
extern "C" __global__ void k(float* a) {
  put(threadIdx.x, a[threadIdx.x]);
  __syncthreads();
  a[threadIdx.x] = reinterpret_cast<float*>(&inner::rows[0][0])[blockDim.x - 1 - threadIdx.x];
})";
  const std::pair<std::string, std::string> cases[] = {{at_block, "k<float>"}, {at_namespace, "k"}};
  for (const auto& [text, entry] : cases) {
    Function& k = kernels_.build(text, entry);
    std::vector<float> a(96);
    std::iota(a.begin(), a.end(), 0.0F);
    kernels_.run(k, {{1, 1, 1}, {96, 1, 1}, 96 * sizeof(float)}, a.data());
    for (int i = 0; i < 96; ++i)
      EXPECT_EQ(a[static_cast<std::size_t>(i)], static_cast<float>(95 - i)) << entry;
  }
}

TEST_P(CpuKernel, KeepsSharedMemoryOfBlocksOnDifferentThreadsApart) {
  Function& k = kernels_.build(R"(extern "C" __global__ void k(int* a) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, blockIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) a[blockIdx.x] = total;
})",
                               "k");
  std::vector<int> a(500);
  kernels_.run(k, {{500, 1, 1}, {33, 1, 1}, 0}, a.data());
  for (int i = 0; i < 500; ++i) EXPECT_EQ(a[static_cast<std::size_t>(i)], 33 * i);
}

TEST_P(CpuKernel, CombinesPredicatesAtBarriers) {
  Function& k = kernels_.build(R"(extern "C" __global__ void k(int* a) {
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

TEST_P(CpuKernel, AddsAtomicallyUnderContention) {
  Function& k =
      kernels_.build(R"(struct Cells { int i; unsigned u; unsigned long long l; float f; double d; };
extern "C" __global__ void k(Cells* c) {
  atomicAdd(&c->i, 1);
  atomicAdd(&c->u, 2u);
  atomicAdd(&c->l, 3ull);
  atomicAdd(&c->f, 1.0f);
  atomicAdd(&c->d, 0.5);
  atomicSub(&c->i, 2);
})",
                     "k");
  struct Cells {
    int i;
    unsigned u;
    unsigned long long l;
    float f;
    double d;
  } cells{};
  kernels_.run(k, {{200, 1, 1}, {256, 1, 1}, 0}, &cells);
  EXPECT_EQ(cells.i, -51200);
  EXPECT_EQ(cells.u, 102400U);
  EXPECT_EQ(cells.l, 153600ULL);
  EXPECT_EQ(cells.f, 51200.0F);
  EXPECT_EQ(cells.d, 25600.0);
}

TEST_P(CpuKernel, HasTheOtherAtomicOperations) {
  Function& k =
      kernels_.build(R"(extern "C" __global__ void k(int* s, unsigned* u, unsigned long long* l, float* f) {
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  atomicMin(&s[0], -(int)id);
  atomicMax(&s[1], (int)id);
  atomicXor(&s[2], 1 << (id % 31));
  atomicMin(&u[0], 4000000000u - id);
  atomicMax(&u[1], id);
  atomicAnd(&u[2], ~(1u << (id % 16)));
  atomicOr(&u[3], 1u << (id % 20));
  atomicInc(&u[4], 9u);
  atomicDec(&u[5], 9u);
  atomicMin(&l[0], 18000000000000000000ull - id);
  atomicMax(&l[1], (unsigned long long)id << 33);
  for (unsigned long long old = l[2], seen;; old = seen) {
    seen = atomicCAS(&l[2], old, old + 2);
    if (seen == old) break;
  }
  atomicAdd(&l[3], (unsigned long long)(atomicExch(&s[3], (int)id + 1)));
  if (id == 5) f[1] = atomicExch(&f[0], 2.5f);
})",
                     "k");
  int s[4] = {0, 0, 0, 0};
  unsigned u[6] = {~0U, 0, ~0U, 0, 0, 0};
  unsigned long long l[4] = {~0ULL, 0, 0, 0};
  float f[2] = {1.5F, 0};
  kernels_.run(k, {{31, 1, 1}, {64, 1, 1}, 0}, &s[0], &u[0], &l[0], &f[0]);
  const unsigned long long n = 31 * 64;
  EXPECT_EQ(s[0], -1983);
  EXPECT_EQ(s[1], 1983);
  EXPECT_EQ(s[2], 0);  // each bit is flipped 64 times
  EXPECT_EQ(u[0], 4000000000U - 1983);
  EXPECT_EQ(u[1], 1983U);
  EXPECT_EQ(u[2], 0xffff0000U);
  EXPECT_EQ(u[3], 0x000fffffU);
  EXPECT_EQ(u[4], 1984U % 10);
  EXPECT_EQ(u[5], (10 - 1984 % 10) % 10U);
  EXPECT_EQ(l[0], 18000000000000000000ULL - 1983);
  EXPECT_EQ(l[1], 1983ULL << 33);
  EXPECT_EQ(l[2], 2 * n);
  EXPECT_EQ(l[3] + static_cast<unsigned long long>(s[3]), n * (n + 1) / 2);
  EXPECT_EQ(f[0], 2.5F);
  EXPECT_EQ(f[1], 1.5F);
}

TEST_P(CpuKernel, ShufflesWithinWarps) {
  Function& k = kernels_.build(R"(extern "C" __global__ void k(int* a, double* d) {
  int t = threadIdx.x, v = 100 * blockIdx.x + t;
  a[t * 6 + 0] = __shfl_sync(0xffffffff, v, 5);
  a[t * 6 + 1] = __shfl_up_sync(0xffffffff, v, 3);
  a[t * 6 + 2] = __shfl_down_sync(0xffffffff, v, 3);
  a[t * 6 + 3] = __shfl_xor_sync(0xffffffff, v, 9);
  a[t * 6 + 4] = __shfl_sync(0xffffffff, v, 9, 8);
  a[t * 6 + 5] = __shfl_down_sync(0xffffffff, v, 6, 8);
  d[t] = __shfl_down_sync(0xffffffffu, 0.5 * t, 1) + (double)__shfl_xor_sync(0xffffffffu, 1ll << 40, 1);
})",
                               "k");
  std::vector<int> a(64 * 6);
  std::vector<double> d(64);
  kernels_.run(k, {{1, 1, 1}, {64, 1, 1}, 0}, a.data(), d.data());
  for (int t = 0; t < 64; ++t) {
    const int lane = t % 32, warp = t - lane;
    const int* got = &a[static_cast<std::size_t>(t) * 6];
    EXPECT_EQ(got[0], warp + 5);
    EXPECT_EQ(got[1], lane < 3 ? t : t - 3);
    EXPECT_EQ(got[2], lane > 28 ? t : t + 3);
    EXPECT_EQ(got[3], warp + (lane ^ 9));
    EXPECT_EQ(got[4], t / 8 * 8 + 1);
    EXPECT_EQ(got[5], t % 8 < 2 ? t + 6 : t);
    EXPECT_EQ(d[static_cast<std::size_t>(t)], 0.5 * (lane == 31 ? t : t + 1) + 1099511627776.0);
  }
}

TEST_P(CpuKernel, VotesWithMasksPartialWarpsAndLanesThatLeft) {
  Function& k = kernels_.build(R"(extern "C" __global__ void k(unsigned* a) {
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
  std::vector<unsigned> a(40 * 4);
  kernels_.run(k, {{1, 1, 1}, {40, 1, 1}, 0}, a.data());
  EXPECT_EQ(a[0], 0x49249249U);
  EXPECT_EQ(a[4], 0x49249249U);
  EXPECT_EQ(a[33 * 4], 0x92U);  // lanes 1, 4 and 7 of the second warp, which has 8
  EXPECT_EQ(a[2 * 4 + 1], 0x11111111U);
  EXPECT_EQ(a[2 * 4 + 2], 11U);
  EXPECT_EQ(a[34 * 4 + 2], 0U);  // lane 38 votes against
  EXPECT_EQ(a[32 * 4 + 1], 0x11U);
  EXPECT_EQ(a[10 * 4 + 3], 4U + 5);
  EXPECT_EQ(a[32 * 4 + 3], 36U + 2);  // 32 and 34: 33 has left
}

TEST_P(CpuKernel, ReducesWithPortableHelpersAndCooperativeGroups) {
  Function& k = kernels_.build(R"(#include "kiln/params.h"
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
  std::vector<double> a(128 * 4);
  kernels_.run(k, {{1, 1, 1}, {128, 1, 1}, 0}, a.data());
  EXPECT_EQ(a[0], 128.0 * 129 / 2);
  EXPECT_EQ(a[32 * 4 + 1], (33 + 64) * 16.0);
  EXPECT_EQ(a[13 * 4 + 2], 9 + 10 + 11 + 12 + 13 + 14 + 15 + 16);
  EXPECT_EQ(a[13 * 4 + 3], 5 + 100 + 128);
}

TEST_P(CpuKernel, InstantiatesTemplatesByNameExpression) {
  Specialization specialization = kernels_.specialize(R"(namespace la {
template <class T, int Width> __global__ void axpy(T* y, const T* x, T a) {
  for (int k = 0; k < Width; ++k) y[threadIdx.x * Width + k] += a * x[threadIdx.x * Width + k];
}
template __global__ void axpy<int, 2>(int*, const int*, int);
}
)",
                                                      "la::axpy<float, 4>");
  specialization.entries.push_back({"la::axpy<int, 2>", Dim3{8, 1, 1}, ""});
  const CodeObject object = kernels_.compile(specialization);
  const auto module = kernels_.device().load(object.binary);
  Function* floats = module->function(object.lowered_names.at("la::axpy<float, 4>"));
  Function* ints = module->function(object.lowered_names.at("la::axpy<int, 2>"));
  ASSERT_NE(floats, nullptr);
  ASSERT_NE(ints, nullptr);
  EXPECT_EQ(module->function("another"), nullptr);
  std::vector<float> y(32, 1.0F), x(32, 2.0F);
  kernels_.run(*floats, {{1, 1, 1}, {8, 1, 1}, 0}, y.data(), x.data(), 3.0F);
  EXPECT_EQ(y, std::vector<float>(32, 7.0F));
  EXPECT_EQ(floats->attributes().parameter_bytes, (std::vector<std::size_t>{8, 8, 4}));
  int* none = nullptr;
  EXPECT_THROW(kernels_.run(*ints, {{1, 1, 1}, {4, 1, 1}, 0}, none, none, 1), Error);  // compiled for 8
}

TEST_P(CpuKernel, FindsConstantAndDeviceVariables) {
  Function& k = kernels_.build(R"(__constant__ double table[4];
namespace inner { __device__ int counter = 7; }
__device__ float helper(float x);
extern "C" __global__ void k(double* a) {
  a[threadIdx.x] = table[threadIdx.x] + inner::counter;
  atomicAdd(&inner::counter, 0);
}
__device__ float helper(float x) { return x; })",
                               "k");
  const auto table = kernels_.last_module().symbol("table");
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->second, 4 * sizeof(double));
  const double values[4] = {1, 2, 3, 4};
  kernels_.device().copy_to_device(kernels_.stream(), table->first, values, sizeof values);
  ASSERT_TRUE(kernels_.last_module().symbol("inner::counter").has_value());
  EXPECT_FALSE(kernels_.last_module().symbol("helper").has_value());
  double a[4] = {};
  kernels_.run(k, {{1, 1, 1}, {4, 1, 1}, 0}, &a[0]);
  EXPECT_EQ(a[3], 11.0);
}

TEST_P(CpuKernel, PrintsAndPacksStructures) {
  Function& k = kernels_.build(R"(struct Params { int n; double scale; };
extern "C" __global__ void k(Params p, const char c) {
  if (threadIdx.x == 1) printf("work-item %u of %d: %.2f %c\n", threadIdx.x, p.n, p.scale, c);
})",
                               "k");
  struct Params {
    int n = 3;
    double scale = 0.25;
  };
  ::testing::internal::CaptureStdout();
  kernels_.run(k, {{1, 1, 1}, {3, 1, 1}, 0}, Params{}, 'x');
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "work-item 1 of 3: 0.25 x\n");
  EXPECT_EQ(k.attributes().parameter_bytes, (std::vector<std::size_t>{16, 1}));
}

TEST_P(CpuKernel, CountsBeyondThirtyTwoBits) {
  Function& k = kernels_.build(R"(#include "kiln/params.h"
extern "C" __global__ void k(unsigned long long* sum, long long* last) {
  long long i = kiln::global_index_x();
  unsigned long long j = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i != (long long)j) atomicAdd(sum, 1ull << 60);
  if (i % 1048576 == 1048575) atomicAdd(sum, 1ull);
  if (i == 2305843008139952127ll || i == 4294967295ll) *last = i;
})",
                               "k");
  unsigned long long sum = 0;
  long long last = 0;
  kernels_.run(k, {{4194304, 1, 1}, {1024, 1, 1}, 0}, &sum, &last);
  EXPECT_EQ(sum, 4096ULL);
  EXPECT_EQ(last, 4294967295LL);
}

TEST_P(CpuKernel, LivesBesideStandardHeadersAndCudaOnes) {
  Function& k = kernels_.build(R"(#include <cuda_runtime.h>
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

TEST_P(CpuKernel, HasCudaMathFunctions) {
  Function& k = kernels_.build(R"(extern "C" __global__ void k(double* a) {
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

TEST_P(CpuKernel, GivesTheSameRandomNumbersAsTheHost) {
  Function& k = kernels_.build(R"(#include "kiln/params.h"
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

TEST_P(CpuKernel, UsesFastMathWhereAsked) {
  Specialization specialization =
      kernels_.specialize(R"(extern "C" __global__ void k(double* a, const double* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = sin(b[i]) + exp(b[i]) + pow(b[i], 1.5) + tan(b[i]);
})",
                          "k");
  specialization.fast_math = true;
  Function& k = kernels_.build(specialization);
  std::vector<double> a(1000), b(1000);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = 0.001 * static_cast<double>(i);
  kernels_.run(k, {{4, 1, 1}, {256, 1, 1}, 0}, a.data(), b.data(), 1000);
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double exact = std::sin(b[i]) + std::exp(b[i]) + std::pow(b[i], 1.5) + std::tan(b[i]);
    EXPECT_NEAR(a[i], exact, 1e-13 * exact);
  }
}

}  // namespace
}  // namespace kiln::test
