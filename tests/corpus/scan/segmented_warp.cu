#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#include <cub/device/device_scan.cuh>

// Inclusive scan by shuffles: warps, then the warps' totals; segments begin where a head flag is set.
struct Item {
  float sum;
  int head;
};

__device__ Item join(Item a, Item b) { return {b.head ? b.sum : a.sum + b.sum, a.head | b.head}; }

__device__ Item shfl_up(Item v, int delta) { return {__shfl_up_sync(0xffffffff, v.sum, delta), __shfl_up_sync(0xffffffff, v.head, delta)}; }

template <int THREADS>
__global__ __launch_bounds__(THREADS) void segmented_scan(const float *in, const unsigned char *heads, float *out, int n) {
  __shared__ float total_sum[THREADS / 32];
  __shared__ int total_head[THREADS / 32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  Item carry = {0.f, 0};
  for (int base = 0; base < n; base += THREADS) {  // one block walks along
    const int i = base + threadIdx.x;
    Item v = {0.f, 0};
    if (i < n) v = {in[i], heads[i]};
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
      const Item left = shfl_up(v, d);
      if (lane >= d) v = join(left, v);
    }
    if (lane == 31) {
      total_sum[warp] = v.sum;
      total_head[warp] = v.head;
    }
    __syncthreads();
    Item before = carry;
    for (int w = 0; w < warp; ++w) before = join(before, Item{total_sum[w], total_head[w]});
    v = join(before, v);
    if (i < n) out[i] = v.sum;
    for (int w = 0; w < THREADS / 32; ++w) carry = join(carry, Item{total_sum[w], total_head[w]});
    __syncthreads();
  }
}

int main() {
  const int n = 1000;
  float *in, *out;
  unsigned char *heads;
  cudaMalloc(&in, n * 4), cudaMalloc(&out, n * 4), cudaMalloc(&heads, n);
  segmented_scan<128><<<1, 128>>>(in, heads, out, n);
  void *temporary = nullptr;
  size_t bytes = 0;
  cub::DeviceScan::InclusiveSum(temporary, bytes, in, out, n);
  cudaMalloc(&temporary, bytes);
  cub::DeviceScan::InclusiveSum(temporary, bytes, in, out, n);
  return cudaDeviceSynchronize();
}
