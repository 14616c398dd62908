#include <cooperative_groups.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

// Inclusive prefix sums, and the sums of what comes after, in one launch: each block scans its part, the grid
// synchronises, and each block adds the other blocks' sums to the part that it still has in shared memory.
template <int BlockSize>
__global__ void grid_scan(const int* __restrict__ in, int* __restrict__ out, int* __restrict__ after, int* block_sums, int n) {
  __shared__ int part[2][BlockSize];
  cg::grid_group grid = cg::this_grid();
  const int t = threadIdx.x;
  const int i = blockIdx.x * BlockSize + t;
  int now = 0;
  part[now][t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = 1; step < BlockSize; step *= 2) {
    part[1 - now][t] = part[now][t] + (t >= step ? part[now][t - step] : 0);
    now = 1 - now;
    __syncthreads();
  }
  if (t == BlockSize - 1) block_sums[blockIdx.x] = part[now][t];
  cg::sync(grid);
  int before = 0, total = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) {
    if (b == blockIdx.x) before = total;
    total += block_sums[b];
  }
  if (i < n) {
    out[i] = before + part[now][t];
    after[i] = total - out[i];
  }
}

int main() {
  int n = 10000;
  std::vector<int> h(n, 1);
  int *in, *out, *after, *sums;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMalloc(&after, n * sizeof(int));
  cudaMalloc(&sums, (n + 255) / 256 * sizeof(int));
  cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  void* args[] = {&in, &out, &after, &sums, &n};
  cudaLaunchCooperativeKernel((void*)grid_scan<256>, dim3((n + 255) / 256), dim3(256), args, 0, 0);
  cudaMemcpy(h.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("last: %d\n", h[n - 1]);
  cudaFree(in), cudaFree(out), cudaFree(after), cudaFree(sums);
}
