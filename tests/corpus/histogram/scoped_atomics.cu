// Counts, the largest and the first place of a key, with cuda::atomic in shared memory and cuda::atomic_ref on the device's.
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/limits>
#include <cuda/std/type_traits>
#include <iostream>
#include <vector>

constexpr int kBins = 16;

template <class Key>
struct Summary {
  static_assert(cuda::std::is_unsigned<Key>::value, "keys are unsigned");
  cuda::std::array<unsigned, kBins> count;
  Key largest;
  unsigned first;
};

template <class Key>
__global__ void summarize(const Key* __restrict__ keys, unsigned n, Summary<Key>* all) {
  __shared__ cuda::atomic<unsigned, cuda::thread_scope_block> local[kBins];
  __shared__ cuda::atomic<Key, cuda::thread_scope_block> largest;
  if (threadIdx.x < kBins) local[threadIdx.x].store(0, cuda::std::memory_order_relaxed);
  if (threadIdx.x == 0) largest.store(cuda::std::numeric_limits<Key>::min());
  __syncthreads();

  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const Key key = keys[i];
    local[key % kBins].fetch_add(1, cuda::std::memory_order_relaxed);
    largest.fetch_max(key);
    if (key == 0) {
      cuda::atomic_ref<unsigned, cuda::thread_scope_device> first(all->first);
      unsigned seen = first.load(cuda::memory_order_relaxed);
      while (i < seen && !first.compare_exchange_weak(seen, i)) {
      }
    }
  }
  __syncthreads();
  if (threadIdx.x < kBins) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(all->count[threadIdx.x]);
    count.fetch_add(local[threadIdx.x].load());
  }
  if (threadIdx.x == 0) cuda::atomic_ref<Key, cuda::thread_scope_device>(all->largest).fetch_max(largest.load());
}

int main() {
  const unsigned n = 1 << 20;
  std::vector<unsigned> host(n, 3u);
  unsigned* keys;
  Summary<unsigned>* all;
  cudaMalloc(&keys, n * sizeof(unsigned));
  cudaMalloc(&all, sizeof(Summary<unsigned>));
  cudaMemcpy(keys, host.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
  summarize<<<64, 128>>>(keys, n, all);
  cudaDeviceSynchronize();
  std::cout << "done\n";
}
