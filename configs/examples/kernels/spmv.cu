// y = A x, where the matrix is in compressed rows: row i has the entries row_offsets[i] to row_offsets[i + 1].
#include "kiln/params.h"

/// `lanes` neighbouring work-items share a row, and add up what each has found.
extern "C" __global__ void spmv(T* __restrict__ y, const int* __restrict__ row_offsets, const int* __restrict__ columns_of,
                                const T* __restrict__ values, const T* __restrict__ x, const Params p) {
  __shared__ T sums[p.block];
  const int row = blockIdx.x * (p.block / p.lanes) + threadIdx.x / p.lanes;
  const int lane = threadIdx.x % p.lanes;
  T sum = 0;
  if (row < p.rows) {
    for (int k = row_offsets[row] + lane; k < row_offsets[row + 1]; k += p.lanes) sum += values[k] * x[columns_of[k]];
  }
  sums[threadIdx.x] = sum;
  for (int others = p.lanes / 2; others > 0; others /= 2) {
    __syncthreads();
    if (lane < others) sums[threadIdx.x] += sums[threadIdx.x + others];
  }
  if (row < p.rows && lane == 0) y[row] = sums[threadIdx.x];
}

extern "C" __global__ void make_x(T* x, const Params p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.columns) x[i] = static_cast<T>(1 + (i % 7) / 8.0);
}

/// From the list of all entries, with their rows: one work-item for each row looks for its first by bisection.
extern "C" __global__ void spmv_reference(double* y, const int* rows_of, const int* columns_of, const T* values, const T* x,
                                          const Params p) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= p.rows) return;
  int first = 0;
  for (int end = p.nonzeros; first < end;) {
    const int middle = first + (end - first) / 2;
    if (rows_of[middle] < row) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  double sum = 0;
  for (int k = first; k < p.nonzeros && rows_of[k] == row; ++k) sum += static_cast<double>(values[k]) * x[columns_of[k]];
  y[row] = sum;
}
