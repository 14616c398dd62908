// Stream compaction inside blocks: ballots give positions in a warp, a shared array the warps' positions, an atomic
// counter the block's. The order between blocks is open.
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <getopt.h>

typedef unsigned int uint32;

struct IsOdd {
  __device__ bool operator()(int x) const { return (x & 1) != 0; }
};
struct GreaterThan {
  int limit;
  __device__ bool operator()(int x) const { return x > limit; }
};

template <typename Predicate>
__device__ void compact(const int* in, int* out, int* counter, int n, Predicate pred) {
  __shared__ int warp_base[32];
  __shared__ int block_base;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const bool keep = i < n && pred(in[i]);
  const uint32 votes = __ballot_sync(0xFFFFFFFFu, keep);
  if (lane == 0) warp_base[warp] = __popc(votes);
  __syncthreads();
  if (threadIdx.x == 0) {
    int total = 0;
    for (int w = 0; w < blockDim.x / 32; ++w) {
      const int c = warp_base[w];
      warp_base[w] = total;
      total += c;
    }
    block_base = atomicAdd(counter, total);
  }
  __syncthreads();
  if (keep) out[block_base + warp_base[warp] + __popc(votes & ((1u << lane) - 1))] = in[i];
}

__global__ void compact_odd(const int* in, int* out, int* counter, int n) { compact(in, out, counter, n, IsOdd()); }

__global__ void compact_greater(const int* in, int* out, int* counter, int n, int limit) {
  GreaterThan g;
  g.limit = limit;
  compact(in, out, counter, n, g);
}

int main(int argc, char** argv) {
  int n = 100000, limit = 50, opt;
  while ((opt = getopt(argc, argv, "n:l:")) != -1) {
    switch (opt) {
      case 'n': n = std::atoi(optarg); break;
      case 'l': limit = std::atoi(optarg); break;
      default: std::fprintf(stderr, "%s [-n N] [-l LIMIT]\n", argv[0]); return 1;
    }
  }
  int *in, *out, *counter;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMalloc(&counter, sizeof(int));
  cudaMemset(counter, 0, sizeof(int));
  compact_odd<<<(n + 255) / 256, 256>>>(in, out, counter, n);
  cudaMemset(counter, 0, sizeof(int));
  compact_greater<<<(n + 255) / 256, 256>>>(in, out, counter, n, limit);
  return cudaDeviceSynchronize() != cudaSuccess;
}
