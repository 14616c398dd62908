#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <iostream>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

// A transform-reduce that takes its two operations as types, in the manner of a template library.
template <typename T>
struct square {
  __host__ __device__ T operator()(const T& x) const { return x * x; }
};

template <typename T>
struct absolute {
  __host__ __device__ T operator()(const T& x) const { return x < T(0) ? -x : x; }
};

template <typename T>
struct sum_op {
  static __host__ __device__ T identity() { return T(0); }
  __host__ __device__ T operator()(const T& a, const T& b) const { return a + b; }
};

template <typename T>
struct max_op {
  static __host__ __device__ T identity() { return -INFINITY; }
  __host__ __device__ T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};

template <typename T, template <typename> class Unary, template <typename> class Binary, int BLOCK>
__global__ void transform_reduce(const T* __restrict__ first, int n, T* __restrict__ partial) {
  using unary_t = Unary<T>;
  using binary_t = Binary<T>;
  const unary_t f{};
  const binary_t g{};
  T acc = binary_t::identity();
  const int tile = BLOCK * 4;
  for (int base = blockIdx.x * tile; base < n; base += gridDim.x * tile) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int i = base + k * BLOCK + threadIdx.x;
      if (i < n) acc = g(acc, f(first[i]));
    }
  }
  __shared__ T s[BLOCK];
  s[threadIdx.x] = acc;
  __syncthreads();
#pragma unroll
  for (int w = BLOCK / 2; w > 0; w /= 2) {
    if (threadIdx.x < w) s[threadIdx.x] = g(s[threadIdx.x], s[threadIdx.x + w]);
    __syncthreads();
  }
  if (!threadIdx.x) partial[blockIdx.x] = s[0];
}

template <template <typename> class U, template <typename> class B>
float run(const thrust::device_vector<float>& x) {
  thrust::device_vector<float> partial(40);
  transform_reduce<float, U, B, 128>
      <<<40, 128>>>(thrust::raw_pointer_cast(x.data()), (int)x.size(), thrust::raw_pointer_cast(partial.data()));
  thrust::host_vector<float> h = partial;
  float r = B<float>::identity();
  for (float v : h) r = B<float>()(r, v);
  return r;
}

int main() {
  thrust::host_vector<float> h(1 << 18);
  std::generate(h.begin(), h.end(), [] { return rand() / float(RAND_MAX) - 0.5f; });
  thrust::device_vector<float> x = h;
  std::cout << "sum of squares " << run<square, sum_op>(x) << ", largest size " << run<absolute, max_op>(x) << '\n';
}
