// Volatile flags in shared memory: the first warp fills, the second drains a ring of slots; barriers of the block between.
#include <stdio.h>
#include <string.h>
#include <cuda_profiler_api.h>

#define SLOTS 4
#define WARP 32

struct Ring {
  volatile int full[SLOTS];
  float data[SLOTS][WARP];
};

__device__ void produce(Ring *ring, const float *in, int round, int lane) {
  const int slot = round % SLOTS;
  ring->data[slot][lane] = in[round * WARP + lane] * 2.0f;
  __threadfence_block();
  if (lane == 0) ring->full[slot] = round + 1;
}

__device__ void consume(Ring *ring, float *out, int *order, int round, int lane) {
  const int slot = round % SLOTS;
  out[round * WARP + lane] = ring->data[slot][lane] + 1.0f;
  if (lane == 0) order[round] = ring->full[slot];
}

__global__ void pipeline(const float *in, float *out, int *order, int rounds) {
  __shared__ Ring ring;
  const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
  if (threadIdx.x < SLOTS) ring.full[threadIdx.x] = 0;
  __syncthreads();
  for (int r = 0; r <= rounds; ++r) {
    if (warp == 0) {
      if (r < rounds) produce(&ring, in, r, lane);
    } else {
      if (r > 0) consume(&ring, out, order, r - 1, lane);
    }
    __syncthreads();
  }
}

int main(void) {
  float *in, *out;
  int *order;
  cudaMallocManaged((void **)&in, 100 * WARP * sizeof(float));
  cudaMallocManaged((void **)&out, 100 * WARP * sizeof(float));
  cudaMallocManaged((void **)&order, 100 * sizeof(int));
  memset(in, 0, 100 * WARP * sizeof(float));
  cudaProfilerStart();
  pipeline<<<1, 2 * WARP>>>(in, out, order, 100);
  cudaDeviceSynchronize();
  cudaProfilerStop();
  return printf("%f %d\n", out[0], order[99]) < 0;
}
