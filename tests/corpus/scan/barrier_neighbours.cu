// Sums of neighbours in many sweeps: a block's work-items arrive at a cuda::barrier, do work of their own, and wait.
#include <cuda/barrier>
#include <cooperative_groups.h>
#include <iostream>
#include <vector>

namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int kThreads = 128;

__device__ unsigned mix(unsigned v) {
  v ^= v << 7;
  v ^= v >> 9;
  return v;
}

__global__ void sweeps(const unsigned* in, unsigned* out, unsigned* own, int sweeps) {
  __shared__ barrier bar;
  __shared__ unsigned value[2][kThreads];
  auto block = cg::this_thread_block();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (block.thread_rank() == 0) {
    init(&bar, block.size());
  }
  value[0][threadIdx.x] = in[i];
  block.sync();

  unsigned mine = in[i];
  for (int s = 0; s < sweeps; ++s) {
    const unsigned* from = value[s & 1];
    const unsigned left = from[(threadIdx.x + kThreads - 1) % kThreads], right = from[(threadIdx.x + 1) % kThreads];
    value[(s + 1) & 1][threadIdx.x] = left + 2 * from[threadIdx.x] + right;
    barrier::arrival_token token = bar.arrive();
    mine = mix(mine + s);  // needs no neighbour
    bar.wait(std::move(token));
  }
  out[i] = value[sweeps & 1][threadIdx.x];
  own[i] = mine;
  bar.arrive_and_wait();
}

int main() {
  const int n = 8 * kThreads;
  std::vector<unsigned> host(n, 1u);
  unsigned *in, *out, *own;
  cudaMalloc(&in, n * sizeof(unsigned));
  cudaMalloc(&out, n * sizeof(unsigned));
  cudaMalloc(&own, n * sizeof(unsigned));
  cudaMemcpy(in, host.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
  sweeps<<<n / kThreads, kThreads>>>(in, out, own, 5);
  cudaMemcpy(host.data(), out, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
  std::cout << host[0] << std::endl;
  return cudaGetLastError() != cudaSuccess;
}
