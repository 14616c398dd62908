// The kernels of a conjugate gradient solver: the 5-point Laplacian and vector operations.
#include "kiln/portable.h"

// y = A x with A = h^2 (-Laplacian) on nx * ny interior points; x is 0 beyond the boundary.
template <class T>
__global__ void apply(int nx, int ny, const T* __restrict__ x, T* __restrict__ y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nx) return;
  const int j = blockIdx.y;
  const int at = j * nx + i;
  const T west = i > 0 ? x[at - 1] : T(0);
  const T east = i < nx - 1 ? x[at + 1] : T(0);
  const T south = j > 0 ? x[at - nx] : T(0);
  const T north = j < ny - 1 ? x[at + nx] : T(0);
  y[at] = 4 * x[at] - (west + east) - (south + north);
}

// y = a x + b y
template <class T>
__global__ void axpby(int n, T a, const T* __restrict__ x, T b, T* __restrict__ y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + b * y[i];
}

// partials[block] = the block's part of x . y. Eight sums, so that additions do not wait for each other.
template <class T, int width>
__global__ void dot(int n, const T* __restrict__ x, const T* __restrict__ y, T* __restrict__ partials) {
  constexpr int lanes = 8;
  const int part = (n + gridDim.x - 1) / gridDim.x;
  const int begin = blockIdx.x * part;
  const int end = begin + part < n ? begin + part : n;
  T sums[lanes] = {};
  int i = begin + threadIdx.x;
  for (; i + (lanes - 1) * width < end; i += lanes * width) {
    for (int lane = 0; lane < lanes; ++lane) sums[lane] += x[i + lane * width] * y[i + lane * width];
  }
  for (; i < end; i += width) sums[0] += x[i] * y[i];
  T sum = 0;
  for (int lane = 0; lane < lanes; ++lane) sum += sums[lane];
  sum = kiln::block_reduce_sum<width>(sum, int(threadIdx.x));
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}
