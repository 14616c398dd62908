// Counts by warp-aggregated atomics: __match_any_sync finds the lanes with the same bin, one lane adds for all.
#include <iostream>
#include <limits>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

using std::cout;
using std::endl;

template <typename Key>
__device__ void aggregated_increment(unsigned *counts, Key key) {
#if __CUDA_ARCH__ >= 700 || !defined(__CUDA_ARCH__)
  const unsigned peers = __match_any_sync(__activemask(), key);
  const int leader = __ffs(peers) - 1;
  const unsigned lane = threadIdx.x & 31;
  if (lane == leader) atomicAdd(&counts[key], __popc(peers));
#else
  atomicAdd(&counts[key], 1);
#endif
}

__global__ void histogram_matched(const int *values, unsigned *counts, int n, int bins) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    const int bin = values[i] % bins;
    aggregated_increment(counts, bin);
  }
}

std::pair<int, int> minmax_of(const std::vector<int> &v) {
  int lo = std::numeric_limits<int>::max(), hi = std::numeric_limits<int>::lowest();
  for (int x : v) lo = std::min(lo, x), hi = std::max(hi, x);
  return std::make_pair(lo, hi);
}

int main() {
  std::vector<int> v(1 << 16);
  std::geometric_distribution<int> dist(0.1);
  std::minstd_rand rng;
  for (int &x : v) x = dist(rng);
  int lo, hi;
  std::tie(lo, hi) = minmax_of(v);
  cout << lo << ' ' << hi << endl;
  int *values;
  unsigned *counts;
  cudaMalloc(&values, v.size() * sizeof(int));
  cudaMalloc(&counts, 64 * sizeof(unsigned));
  cudaMemcpy(values, v.data(), v.size() * sizeof(int), cudaMemcpyHostToDevice);
  histogram_matched<<<32, 256>>>(values, counts, v.size(), 64);
  cudaDeviceSynchronize();
}
