#ifndef SCAN_CUH
#define SCAN_CUH

#include <type_traits>

#define DIV_UP(a, b) (((a) + (b) - 1) / (b))

namespace scan {

struct Sum {
  template <typename T>
  __host__ __device__ __forceinline__ T operator()(const T& a, const T& b) const {
    return a + b;
  }
  template <typename T>
  static __host__ __device__ constexpr T identity() {
    return T(0);
  }
};

// Inclusive scan of one value of each thread, in shared memory for two values of each thread.
template <typename T, typename Operation>
__device__ T block_scan(T value, T* shared, Operation operation) {
  static_assert(std::is_arithmetic<T>::value, "a number");
  T* from = shared;
  T* to = shared + blockDim.x;
  from[threadIdx.x] = value;
  __syncthreads();
  for (unsigned int step = 1; step < blockDim.x; step <<= 1) {
    T sum = from[threadIdx.x];
    if (threadIdx.x >= step) sum = operation(from[threadIdx.x - step], sum);
    to[threadIdx.x] = sum;
    __syncthreads();
    T* kept = from;
    from = to;
    to = kept;
  }
  value = from[threadIdx.x];
  __syncthreads();
  return value;
}

}  // namespace scan

#endif  // SCAN_CUH
