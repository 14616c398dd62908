/* Maximum norm and sum of squares in one kernel: the last block to arrive adds the partial results. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NTHREADS 128
#define MAX_BLOCKS 64

__device__ unsigned int blocksDone = 0;
__device__ volatile float partialMax[MAX_BLOCKS];
__device__ volatile float partialSum[MAX_BLOCKS];

__device__ void block_reduce(float *smax, float *ssum) {
  for (int s = NTHREADS >> 1; s > 0; s >>= 1) {
    if (threadIdx.x < s) {
      smax[threadIdx.x] = fmaxf(smax[threadIdx.x], smax[threadIdx.x + s]);
      ssum[threadIdx.x] += ssum[threadIdx.x + s];
    }
    __syncthreads();
  }
}

__global__ void norms(const float *x, int n, float *result) {
  __shared__ float smax[NTHREADS], ssum[NTHREADS];
  __shared__ bool amLast;
  float m = 0.f, s = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float v = x[i];
    m = fmaxf(m, fabsf(v));
    s = fmaf(v, v, s);
  }
  smax[threadIdx.x] = m;
  ssum[threadIdx.x] = s;
  __syncthreads();
  block_reduce(smax, ssum);

  if (threadIdx.x == 0) {
    partialMax[blockIdx.x] = smax[0];
    partialSum[blockIdx.x] = ssum[0];
    __threadfence();
    unsigned int ticket = atomicInc(&blocksDone, gridDim.x);
    amLast = (ticket == gridDim.x - 1);
  }
  __syncthreads();
  if (amLast) {
    smax[threadIdx.x] = threadIdx.x < gridDim.x ? partialMax[threadIdx.x] : 0.f;
    ssum[threadIdx.x] = threadIdx.x < gridDim.x ? partialSum[threadIdx.x] : 0.f;
    __syncthreads();
    block_reduce(smax, ssum);
    if (threadIdx.x == 0) {
      result[0] = smax[0];
      result[1] = sqrtf(ssum[0]);
      blocksDone = 0;
    }
  }
}

int main(int argc, char **argv) {
  int n = 1000000;
  float *x, *result;
  if (argc == 2) n = atoi(argv[1]);
  assert(n > 0);
  cudaMallocManaged(&x, n * sizeof(float));
  cudaMallocManaged(&result, 2 * sizeof(float));
  for (int i = 0; i < n; ++i) x[i] = sinf(0.001f * i);
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  cudaEventRecord(start);
  norms<<<MAX_BLOCKS, NTHREADS>>>(x, n, result);
  cudaEventRecord(stop);
  cudaEventSynchronize(stop);
  float ms;
  cudaEventElapsedTime(&ms, start, stop);
  printf("max %g, two %g, %g ms\n", result[0], result[1], ms);
  return 0;
}
