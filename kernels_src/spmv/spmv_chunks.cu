#include "spmv.h"

constexpr int sums = Params::sums;

// For a CPU: a work-item has `chunk` neighbouring rows. Sums of a row that do not wait for each other hide the latency of additions.
extern "C" __global__ void spmv_chunks(T* __restrict__ y, const int* __restrict__ row_offsets,
                                       const int* __restrict__ column_indices, const T* __restrict__ values,
                                       const T* __restrict__ x, const Params p) {
  const long long first = (long long)blockIdx.x * p.chunk;
  const long long last = first + p.chunk < p.rows ? first + p.chunk : p.rows;
  int k = row_offsets[first];
  for (long long row = first; row < last; ++row) {
    const int end = row_offsets[row + 1];
    T sum[sums] = {};
    for (; k + sums <= end; k += sums) {
      KILN_UNROLL_ALL
      for (int i = 0; i < sums; ++i) sum[i] += values[k + i] * x[column_indices[k + i]];
    }
    for (; k < end; ++k) sum[0] += values[k] * x[column_indices[k]];
    KILN_UNROLL_ALL
    for (int half = sums / 2; half > 0; half /= 2) {
      KILN_UNROLL_ALL
      for (int i = 0; i < half; ++i) sum[i] += sum[i + half];
    }
    y[row] = sum[0];
  }
}
