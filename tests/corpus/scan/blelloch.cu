// Work-efficient exclusive scan of blocks with padding against bank conflicts, then block sums are scanned and added.
#include <stdio.h>
#include <stdlib.h>
#include "timer.h"

#define NUM_BANKS 32
#define LOG_NUM_BANKS 5
#ifdef ZERO_BANK_CONFLICTS
#define CONFLICT_FREE_OFFSET(index) ((index) >> LOG_NUM_BANKS + (index) >> (2 * LOG_NUM_BANKS))
#else
#define CONFLICT_FREE_OFFSET(index) ((index) >> LOG_NUM_BANKS)
#endif

template <bool storeSum>
__global__ void prescan(float *g_odata, const float *g_idata, float *g_blockSums, int n) {
  extern __shared__ float temp[];
  int thid = threadIdx.x;
  int base = blockIdx.x * (blockDim.x * 2);
  int m = blockDim.x * 2;
  int ai = thid, bi = thid + m / 2;
  int bankOffsetA = CONFLICT_FREE_OFFSET(ai), bankOffsetB = CONFLICT_FREE_OFFSET(bi);
  temp[ai + bankOffsetA] = base + ai < n ? g_idata[base + ai] : 0.f;
  temp[bi + bankOffsetB] = base + bi < n ? g_idata[base + bi] : 0.f;

  int offset = 1;
  for (int d = m >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (thid < d) {
      int a = offset * (2 * thid + 1) - 1;
      int b = offset * (2 * thid + 2) - 1;
      a += CONFLICT_FREE_OFFSET(a);
      b += CONFLICT_FREE_OFFSET(b);
      temp[b] += temp[a];
    }
    offset *= 2;
  }
  if (thid == 0) {
    int last = m - 1 + CONFLICT_FREE_OFFSET(m - 1);
    if (storeSum) g_blockSums[blockIdx.x] = temp[last];
    temp[last] = 0;
  }
  for (int d = 1; d < m; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (thid < d) {
      int a = offset * (2 * thid + 1) - 1;
      int b = offset * (2 * thid + 2) - 1;
      a += CONFLICT_FREE_OFFSET(a);
      b += CONFLICT_FREE_OFFSET(b);
      float t = temp[a];
      temp[a] = temp[b];
      temp[b] += t;
    }
  }
  __syncthreads();
  if (base + ai < n) g_odata[base + ai] = temp[ai + bankOffsetA];
  if (base + bi < n) g_odata[base + bi] = temp[bi + bankOffsetB];
}

__global__ void uniformAdd(float *g_data, const float *uniforms, int n) {
  __shared__ float uni;
  if (threadIdx.x == 0) uni = uniforms[blockIdx.x];
  __syncthreads();
  unsigned int address = blockIdx.x * (blockDim.x << 1) + threadIdx.x;
  if (address < n) g_data[address] += uni;
  if (address + blockDim.x < n) g_data[address + blockDim.x] += uni;
}

int main(int argc, char **argv) {
  int n = 16384, threads = 256, blocks = (n + 2 * threads - 1) / (2 * threads);
  size_t extra = CONFLICT_FREE_OFFSET(2 * threads) * sizeof(float);
  float *in, *out, *sums;
  cudaMalloc((void **)&in, n * sizeof(float));
  cudaMalloc((void **)&out, n * sizeof(float));
  cudaMalloc((void **)&sums, blocks * sizeof(float));
  GpuTimer timer;
  timer.Start();
  prescan<true><<<blocks, threads, 2 * threads * sizeof(float) + extra>>>(out, in, sums, n);
  prescan<false><<<1, threads, 2 * threads * sizeof(float) + extra>>>(sums, sums, NULL, blocks);
  uniformAdd<<<blocks, threads>>>(out, sums, n);
  timer.Stop();
  printf("Your code ran in: %f msecs.\n", timer.Elapsed());
  return 0;
}
