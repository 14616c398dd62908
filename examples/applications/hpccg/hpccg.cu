// The kernels of HPCCG. The rows of a matrix are stored in slices of `slice` rows: entry j of the rows of slice s begins at
// (s * width + j) * slice. Shorter rows are filled up with zeros.
#include "kiln/portable.h"

// y = A x for nrow rows, with four sums, so that additions do not wait for each other.
__global__ void sparsemv(int nrow, const int width, const int slice, const double* __restrict__ values,
                         const int* __restrict__ columns, const double* __restrict__ x, double* __restrict__ y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= nrow) return;
  const long long begin = (long long)(row / slice) * slice * width + row % slice;
  const double* __restrict__ value = values + begin;
  const int* __restrict__ column = columns + begin;
  constexpr int lanes = 4;
  double sums[lanes] = {};
  int j = 0;
  KILN_UNROLL_ALL
  for (; j + lanes <= width; j += lanes) {
    for (int lane = 0; lane < lanes; ++lane)
      sums[lane] += value[(j + lane) * slice] * x[column[(j + lane) * slice]];
  }
  KILN_UNROLL_ALL
  for (; j < width; ++j) sums[0] += value[j * slice] * x[column[j * slice]];
  y[row] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// w = alpha x + beta y; w may be x or y.
__global__ void waxpby(int n, double alpha, const double* x, double beta, const double* y, double* w) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) w[i] = alpha * x[i] + beta * y[i];
}

// partials[block] = the block's part of x . y, with eight sums, so that additions do not wait for each other.
template <int width>
__global__ void ddot(int n, const double* x, const double* y, double* __restrict__ partials) {
  constexpr int lanes = 8;
  const int part = (n + gridDim.x - 1) / gridDim.x;
  const int begin = blockIdx.x * part;
  const int end = begin + part < n ? begin + part : n;
  double sums[lanes] = {};
  int i = begin + threadIdx.x;
  for (; i + (lanes - 1) * width < end; i += lanes * width) {
    for (int lane = 0; lane < lanes; ++lane) sums[lane] += x[i + lane * width] * y[i + lane * width];
  }
  for (; i < end; i += width) sums[0] += x[i] * y[i];
  double sum = 0;
  for (int lane = 0; lane < lanes; ++lane) sum += sums[lane];
  sum = kiln::block_reduce_sum<width>(sum, int(threadIdx.x));
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}
