// Running sums of a long array in two kernels: sums inside chunks, then each chunk adds what lies before it.
#include "scan.cuh"

namespace scan {

template <typename T, int ITEMS, bool WRITE_TOTALS>
__global__ void chunks(T* out, const T* in, T* totals, int n) {
  extern __shared__ unsigned char raw[];
  T* shared = reinterpret_cast<T*>(raw);
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * ITEMS;

  T items[ITEMS];
  T sum = Sum::identity<T>();
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    if (first + i < n) sum += in[first + i];
    items[i] = sum;
  }
  const T before = block_scan(sum, shared, Sum()) - sum;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    if (first + i < n) out[first + i] = before + items[i];
  }
  if (WRITE_TOTALS && threadIdx.x == blockDim.x - 1) totals[blockIdx.x] = before + sum;
}

template <typename T, int ITEMS>
__global__ void add_before(T* out, const T* totals, int n) {
  __shared__ T before;
  if (threadIdx.x == 0) {
    T sum = Sum::identity<T>();
    for (unsigned int b = 0; b < blockIdx.x; ++b) sum += totals[b];
    before = sum;
  }
  __syncthreads();
  const int begin = blockIdx.x * blockDim.x * ITEMS;
  const int end = min(begin + (int)blockDim.x * ITEMS, n);
  for (int i = begin + threadIdx.x; i < end; i += blockDim.x) out[i] += before;
}

}  // namespace scan
