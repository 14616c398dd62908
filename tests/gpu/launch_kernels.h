#pragma once

namespace kiln::test {

/// Each block adds up its cluster's ranks through their shared memory.
inline constexpr const char* kClusterSum = R"(extern "C" __global__ void cluster_sum(int* out) {
  __shared__ int mine;
  unsigned rank, count;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
  if (threadIdx.x == 0) mine = (int)rank + 1;
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  int sum = 0;
  for (unsigned other = 0; other < count; ++other) {
    unsigned local = (unsigned)__cvta_generic_to_shared(&mine), remote;
    int value;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(local), "r"(other));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(remote) : "memory");
    sum += value;
  }
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
})";

/// A barrier over the grid: every block waits until all have come.
inline constexpr const char* kGridBarrier =
    R"(extern "C" __global__ void grid_barrier(int* arrived, int* seen) {
  if (threadIdx.x != 0) return;
  atomicAdd(arrived, 1);
  while (*(volatile int*)arrived < (int)gridDim.x) {}
  seen[blockIdx.x] = *(volatile int*)arrived;
})";

}  // namespace kiln::test
