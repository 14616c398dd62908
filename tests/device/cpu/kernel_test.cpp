// Kernel texts through the real compiler and device: what the CUDA dialect promises, on the host.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "device/fault.h"
#include "support/cpu_kernels.h"

namespace kiln::test {
namespace {

class CpuKernel : public ::testing::Test {
 protected:
  CpuKernels kernels_;
};

TEST_F(CpuKernel, RunsEveryWorkItemOfAGuardedOneDimensionalGridOnce) {
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

TEST_F(CpuKernel, CountsThreeDimensionalGridsAndBlocksAsCudaDoes) {
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

TEST_F(CpuKernel, ReversesThroughStaticSharedMemory) {
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

TEST_F(CpuKernel, SaysWhoWaitsAtABarrierThatNotAllReach) {
  Function& dot = kernels_.build(R"(extern "C" __global__ void dot(int* a) {
  if (threadIdx.x >= 12 && blockIdx.x == 3) return;
  __syncthreads();
  a[blockIdx.x] = 1;
})",
                                 "dot");
  std::vector<int> a(8);
  try {
    kernels_.run(dot, {{8, 1, 1}, {64, 1, 1}, 0}, a.data());
    FAIL() << "no fault";
  } catch (const DeviceFault& fault) {
    EXPECT_STREQ(fault.what(),
                 "12 of 64 work-items wait at __syncthreads in block (3,0,0) of 'dot'; 52 left the kernel");
    EXPECT_FALSE(fault.sticky());
  }
  kernels_.run(dot, {{3, 1, 1}, {64, 1, 1}, 0}, a.data());  // and goes on
  EXPECT_EQ(a[2], 1);
}

}  // namespace
}  // namespace kiln::test
