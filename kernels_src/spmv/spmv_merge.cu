#include "spmv.h"

// Entries and ends of rows are merged into one list, of which each block has an equal share, and each
// work-item of it (Merrill, Garland: Merge-based parallel sparse matrix-vector multiplication, SC'16). A row
// that a block does not end is carried to the next ones: add_carries adds what they have of it.

constexpr int block = Params::block;
constexpr int share = block * Params::items;

// How many of the first `diagonal` items are ends of rows; end(r) is the first entry behind row r.
template <class End>
__device__ inline int rows_before(int diagonal, int rows, int entries, const End& end) {
  int low = diagonal > entries ? diagonal - entries : 0;
  int high = diagonal < rows ? diagonal : rows;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (end(middle) <= diagonal - middle - 1) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_spmv_merge
spmv_merge(T* __restrict__ y, int* __restrict__ carry_rows, T* __restrict__ carries,
           const int* __restrict__ row_offsets, const int* __restrict__ column_indices,
           const T* __restrict__ values, const T* __restrict__ x, const Params p) {
  __shared__ T products[share];
  __shared__ T sums[share];
  __shared__ int ends[share + 1];
  __shared__ int edges[2];
  __shared__ int open_rows[block + 1];
  __shared__ T open_sums[block];
  const int tid = int(threadIdx.x);
  const int all = p.rows + p.nonzeros;
  const int begin = int(blockIdx.x) * share;
  const int items = all - begin < share ? all - begin : share;
  if (tid < 2) {
    edges[tid] = rows_before(tid == 0 ? begin : begin + items, p.rows, p.nonzeros,
                             [&](int row) { return row_offsets[row + 1]; });
  }
  __syncthreads();
  const int first_row = edges[0];
  const int rows = edges[1] - first_row;  // that end here
  const int first_entry = begin - first_row;
  const int entries = items - rows;
  for (int r = tid; r < rows; r += block) ends[r] = row_offsets[first_row + r + 1] - first_entry;
  KILN_UNROLL_ALL
  for (int n = 0; n < Params::items; ++n) {
    const int k = n * block + tid;
    if (k < entries) products[k] = once(values + first_entry + k) * x[once(column_indices + first_entry + k)];
  }
  __syncthreads();
  const int mine = tid * Params::items < items ? tid * Params::items : items;
  int row = rows_before(mine, rows, entries, [&](int r) { return ends[r]; });
  int entry = mine - row;
  T sum = 0;
  for (int n = 0; n < Params::items && mine + n < items; ++n) {
    if (row < rows && entry >= ends[row]) {
      sums[row++] = sum;
      sum = 0;
    } else {
      sum += products[entry++];
    }
  }
  // Sums of rows that go on: those of one row are in neighbouring work-items.
  open_rows[tid] = row;
  if (tid == 0) open_rows[block] = -1;
  open_sums[tid] = sum;
  __syncthreads();
  for (int d = 1; d < block; d *= 2) {
    const T before = tid >= d && open_rows[tid - d] == row ? open_sums[tid - d] : T(0);
    __syncthreads();
    open_sums[tid] += before;
    __syncthreads();
  }
  const bool last = open_rows[tid + 1] != row;
  if (last && row < rows) sums[row] += open_sums[tid];  // one work-item a row
  if (tid == block - 1) {
    carry_rows[blockIdx.x] = row < rows ? -1 : first_row + rows;
    carries[blockIdx.x] = open_sums[tid];
  }
  __syncthreads();
  for (int r = tid; r < rows; r += block) y[first_row + r] = sums[r];
}

// The first block that has a part of a row adds the parts of all, in their order.
extern "C" __global__ void add_carries(T* __restrict__ y, const int* __restrict__ carry_rows,
                                       const T* __restrict__ carries, int blocks, const Params p) {
  const int b = int(kiln::global_index_x());
  if (b >= blocks) return;
  const int row = carry_rows[b];
  if (row < 0 || row >= p.rows || (b > 0 && carry_rows[b - 1] == row)) return;
  T sum = 0;
  for (int n = b; n < blocks && carry_rows[n] == row; ++n) sum += carries[n];
  y[row] += sum;
}
