#include "spmv.h"

// A block has as many neighbouring rows as it has teams. Their entries are one range of memory, of which
// every work-item takes its part whatever the rows' lengths, so that loads are full and coalesced. Products go
// through shared memory, from where a team sums its row. Where the range is longer than the block's shared
// memory, it is taken in parts (after Greathouse, Daga: Efficient sparse matrix-vector multiplication on GPUs
// using the CSR storage format, SC'14).

constexpr int block = Params::block;
constexpr int share = block * Params::items;

extern "C" __global__ void KILN_LAUNCH_BOUNDS_spmv_stream
spmv_stream(T* __restrict__ y, const int* __restrict__ row_offsets, const int* __restrict__ column_indices,
            const T* __restrict__ values, const T* __restrict__ x, const Params p) {
  __shared__ T products[share];
  const int tid = int(threadIdx.x);
  const int lane = tid % lanes;
  const long long first_row = (long long)blockIdx.x * teams;
  const long long behind = first_row + teams < p.rows ? first_row + teams : p.rows;
  const long long row = first_row + tid / lanes;
  const int first = row_offsets[first_row];
  const int last = row_offsets[behind];
  const int begin = row < p.rows ? row_offsets[row] : last;
  const int end = row < p.rows ? row_offsets[row + 1] : last;
  T sum = 0;
  for (int base = first; base < last; base += share) {
    T value[Params::items];
    int column[Params::items];
    KILN_UNROLL_ALL
    for (int n = 0; n < Params::items; ++n) {
      const int k = base + n * block + tid;
      column[n] = k < last ? once(column_indices + k) : 0;
      value[n] = k < last ? once(values + k) : T(0);
    }
    KILN_UNROLL_ALL
    for (int n = 0; n < Params::items; ++n) products[n * block + tid] = value[n] * x[column[n]];
    __syncthreads();
    const int from = begin > base ? begin : base;
    const int to = end < base + share ? end : base + share;
    for (int k = from + lane; k < to; k += lanes) sum += products[k - base];
    __syncthreads();
  }
  sum = sum_of_team(sum);
  if (lane == 0 && row < p.rows) y[row] = sum;
}
