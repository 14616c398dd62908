// Atomic operations of kernel texts, under contention.
#include <gtest/gtest.h>

#include "device/cpu/kernel_fixture.h"

namespace kiln::test {
namespace {

using CpuAtomics = CpuKernel;
INSTANTIATE_TEST_SUITE_P(Compilers, CpuAtomics, ::testing::Values("g++", "clang++"), compiler_label);

TEST_P(CpuAtomics, AddsAtomicallyUnderContention) {
  DeviceFunction& k =
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

TEST_P(CpuAtomics, HasTheOtherAtomicOperations) {
  DeviceFunction& k =
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
  const unsigned long long n = 1984;
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

/// As sm_90 has them. Each work-item adds (1, index) to the pair.
TEST_P(CpuAtomics, ExchangesSixteenBytes) {
  DeviceFunction& k = kernels_.build(R"(struct alignas(16) Pair { unsigned long long count, sum; };
extern "C" __global__ void k(Pair* pairs, ulonglong2* last) {
  const unsigned long long id = blockIdx.x * blockDim.x + threadIdx.x;
  Pair old = pairs[0];
  for (;;) {
    const Pair seen = atomicCAS(pairs, old, Pair{old.count + 1, old.sum + id});
    if (seen.count == old.count && seen.sum == old.sum) break;
    old = seen;
  }
  const ulonglong2 before = atomicExch(last, make_ulonglong2(id, ~id));
  if (before.x != ~before.y) atomicAdd(&pairs[1].count, 1ull);  // half of one, half of another
})",
                                     "k");
  struct alignas(16) Pair {
    unsigned long long first, second;
  };
  Pair pairs[2] = {}, last[1] = {{7, ~7ULL}};
  kernels_.run(k, {{64, 1, 1}, {128, 1, 1}, 0}, &pairs[0], &last[0]);
  EXPECT_EQ(pairs[0].first, 8192U);
  EXPECT_EQ(pairs[0].second, 8192ULL * 8191 / 2);
  EXPECT_EQ(pairs[1].first, 0U);
  EXPECT_EQ(last[0].first, ~last[0].second);
}

TEST_P(CpuAtomics, SemaphoresLatchesAndWaits) {
  DeviceFunction& k = kernels_.build(R"(#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>
extern "C" __global__ void k(int* out) {
  __shared__ cuda::counting_semaphore<cuda::thread_scope_block, 4> filled;
  __shared__ cuda::binary_semaphore<cuda::thread_scope_block> empty;
  __shared__ cuda::latch<cuda::thread_scope_block> ready;
  __shared__ cuda::atomic<int, cuda::thread_scope_block> step;
  __shared__ int slot;
  if (threadIdx.x == 0) {
    new (&filled) cuda::counting_semaphore<cuda::thread_scope_block, 4>(0);
    new (&empty) cuda::binary_semaphore<cuda::thread_scope_block>(1);
    new (&ready) cuda::latch<cuda::thread_scope_block>(63);
    step.store(0);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 0; i < 10; ++i) {
      empty.acquire();
      slot = i * i;
      filled.release();
    }
    ready.wait();
    out[10] = step.load();
    step.store(1);
    step.notify_all();
  } else if (threadIdx.x == 32) {
    for (int i = 0; i < 10; ++i) {
      filled.acquire();
      out[i] = slot;
      empty.release();
    }
    ready.count_down();
    out[11] = filled.try_acquire();
  } else {
    ready.arrive_and_wait();
    step.wait(0);
    atomicAdd(&out[12], step.load());
  }
})",
                                     "k");
  EXPECT_NE(k.attributes().fibers_because.value_or(""), "");
  std::vector<int> out(13);
  kernels_.run(k, {{1, 1, 1}, {64, 1, 1}, 0}, out.data());
  EXPECT_EQ(out, (std::vector<int>{0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 0, 0, 62}));
}

TEST_P(CpuAtomics, KnowsTheMemoryOfAnAddress) {
  DeviceFunction& k = kernels_.build(R"(__device__ int table[64];
extern "C" __global__ void k(int* out) {
  __shared__ int fixed[4];
  extern __shared__ int dynamic[];
  int own[4] = {1, 2, 3, 4};
  if (threadIdx.x == 0) fixed[1] = dynamic[2] = out[63];
  __syncthreads();
  const void* places[5] = {&fixed[1], &dynamic[2], &out[5], &table[1], &own[threadIdx.x % 4]};
  unsigned bits = 0;
  for (int i = 0; i < 5; ++i)
    bits = bits << 3 | __isShared(places[i]) << 2 | __isGlobal(places[i]) << 1 | __isLocal(places[i]);
  out[threadIdx.x] = (int)bits + own[threadIdx.x % 4] * 0;
})",
                                     "k");
  std::vector<int> out(64);
  kernels_.run(k, {{1, 1, 1}, {64, 1, 1}, 64}, out.data());
  EXPECT_EQ(out, std::vector<int>(64, 044221));  // shared, shared, global, global, own
}

}  // namespace
}  // namespace kiln::test
