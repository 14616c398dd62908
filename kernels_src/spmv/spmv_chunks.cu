#include "spmv.h"

// For a CPU: a work-item has `chunk` neighbouring rows.
extern "C" __global__ void spmv_chunks(T* __restrict__ y, const int* __restrict__ row_offsets,
                                       const int* __restrict__ column_indices, const T* __restrict__ values,
                                       const T* __restrict__ x, const Params p) {
  const long long first = (long long)blockIdx.x * p.chunk;
  const long long last = first + p.chunk < p.rows ? first + p.chunk : p.rows;
  int k = row_offsets[first];
  for (long long row = first; row < last; ++row) {
    const int end = row_offsets[row + 1];
    T sum = 0;
    for (; k < end; ++k) sum += values[k] * x[column_indices[k]];
    y[row] = sum;
  }
}
