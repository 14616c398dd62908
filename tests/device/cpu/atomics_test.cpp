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

}  // namespace
}  // namespace kiln::test
