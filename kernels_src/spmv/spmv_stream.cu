#include "spmv.h"

// A block has as many neighbouring rows as it has teams. Their entries are one range of memory, of which
// every work-item takes its part whatever the rows' lengths, so that loads are full and coalesced. Products
// go through shared memory, from where a team sums its row. Where the range is longer than the block's shared
// memory, it is taken in parts. With `stay` a block goes on with other rows, whose entries are on their way
// while it sums (after Greathouse, Daga: Efficient sparse matrix-vector multiplication on GPUs
// using the CSR storage format, SC'14).

constexpr int block = Params::block;
constexpr int share = block * Params::items;

// Neighbouring rows of a block, and the entries of this work-item's row.
struct Rows {
  int first, last;
  int begin, end;
};

__device__ inline Rows load_rows(const int* __restrict__ row_offsets, long long group, const Params& p) {
  const long long first_row = group * teams;
  const long long behind = first_row + teams < p.rows ? first_row + teams : p.rows;
  const long long row = first_row + int(threadIdx.x) / lanes;
  Rows rows;
  rows.first = row_offsets[first_row];
  rows.last = row_offsets[behind];
  rows.begin = row < p.rows ? row_offsets[row] : rows.last;
  rows.end = row < p.rows ? row_offsets[row + 1] : rows.last;
  return rows;
}

struct Entries {
  T value[Params::items];
  int column[Params::items];
};

__device__ inline void load_entries(Entries& to, const int* __restrict__ column_indices,
                                    const T* __restrict__ values, int base, int last) {
  KILN_UNROLL_ALL
  for (int n = 0; n < Params::items; ++n) {
    const int k = base + n * block + int(threadIdx.x);
    to.column[n] = k < last ? once(column_indices + k) : 0;
    to.value[n] = k < last ? once(values + k) : T(0);
  }
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_spmv_stream
spmv_stream(T* __restrict__ y, const int* __restrict__ row_offsets, const int* __restrict__ column_indices,
            const T* __restrict__ values, const T* __restrict__ x, const Params p) {
  __shared__ T products[share];
  const int tid = int(threadIdx.x);
  const int lane = tid % lanes;
  const long long groups = (p.rows + teams - 1) / teams;
  long long group = blockIdx.x;
  Rows rows = load_rows(row_offsets, group, p);
  Entries entries;
  load_entries(entries, column_indices, values, rows.first, rows.last);
  for (bool more = true; more;) {
    more = Params::stay && group + gridDim.x < groups;
    Rows next = {};
    if (more) next = load_rows(row_offsets, group + gridDim.x, p);
    T sum = 0;
    for (int base = rows.first; base < rows.last; base += share) {
      if (base > rows.first) load_entries(entries, column_indices, values, base, rows.last);
      KILN_UNROLL_ALL
      for (int n = 0; n < Params::items; ++n)
        products[n * block + tid] = entries.value[n] * x[entries.column[n]];
      // On their way while the rows are summed.
      if (more && base + share >= rows.last)
        load_entries(entries, column_indices, values, next.first, next.last);
      __syncthreads();
      const int from = rows.begin > base ? rows.begin : base;
      const int to = rows.end < base + share ? rows.end : base + share;
      for (int k = from + lane; k < to; k += lanes) sum += products[k - base];
      __syncthreads();
    }
    if (more && rows.first >= rows.last) load_entries(entries, column_indices, values, next.first, next.last);
    sum = sum_of_team(sum);
    const long long row = group * teams + tid / lanes;
    if (lane == 0 && row < p.rows) y[row] = sum;
    rows = next;
    group += gridDim.x;
  }
}
