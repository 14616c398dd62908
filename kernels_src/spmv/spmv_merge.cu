#include "spmv.h"

// Entries and ends of rows are merged into one list, of which each block has an equal share, and each
// work-item of it (Merrill, Garland: Merge-based parallel sparse matrix-vector multiplication, SC'16). A row
// that a block does not end is carried to the next ones: add_carries adds what they have of it.

constexpr int block = Params::block;
constexpr int share = block * Params::items;
constexpr int kWarp = block < kiln::warp_size ? block : kiln::warp_size;
constexpr int warps = block / kWarp;

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

// Ends of rows among the items before each block: of the matrix alone, so that a program which multiplies
// many times looks for them once.
extern "C" __global__ void find_edges(int* __restrict__ edges, const int* __restrict__ row_offsets,
                                      int blocks, const Params p) {
  const long long b = kiln::global_index_x();
  if (b > blocks) return;
  const long long all = (long long)p.rows + p.nonzeros;
  const int before = int(b * share < all ? b * share : all);
  edges[b] = rows_before(before, p.rows, p.nonzeros, [&](int row) { return row_offsets[row + 1]; });
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_spmv_merge
spmv_merge(T* __restrict__ y, int* __restrict__ carry_rows, T* __restrict__ carries,
           const int* __restrict__ edges, const int* __restrict__ row_offsets,
           const int* __restrict__ column_indices, const T* __restrict__ values, const T* __restrict__ x,
           const Params p) {
  __shared__ T products[share];
  __shared__ int ends[share + 1];
  __shared__ int open_rows[warps];
  __shared__ T open_sums[warps];
  const int tid = int(threadIdx.x);
  const int lane = tid % kWarp;
  const int warp = tid / kWarp;
  const int which = int(blockIdx.x);
  const int begin = which * share;
  const int all = p.rows + p.nonzeros;
  const int items = all - begin < share ? all - begin : share;
  const int first_row = edges[which];
  const int rows = edges[which + 1] - first_row;  // that end here
  const int first_entry = begin - first_row;
  const int entries = items - rows;
  T value[Params::items];
  int column[Params::items];
  KILN_UNROLL_ALL
  for (int n = 0; n < Params::items; ++n) {
    const int k = n * block + tid;
    column[n] = k < entries ? once(column_indices + first_entry + k) : 0;
    value[n] = k < entries ? once(values + first_entry + k) : T(0);
  }
  for (int r = tid; r < rows; r += block) ends[r] = row_offsets[first_row + r + 1] - first_entry;
  KILN_UNROLL_ALL
  for (int n = 0; n < Params::items; ++n) products[n * block + tid] = value[n] * x[column[n]];
  __syncthreads();
  // The last work-item has the first items, so that those with earlier items are the higher lanes.
  const int place = block - 1 - tid;
  const int mine = place * Params::items < items ? place * Params::items : items;
  int row = rows_before(mine, rows, entries, [&](int r) { return ends[r]; });
  int entry = mine - row;
  const int first_of_mine = row;
  T sum = 0;
  T head = 0;  // of the first row that ends here, which earlier work-items may have begun
  KILN_UNROLL_ALL
  for (int n = 0; n < Params::items; ++n) {
    if (mine + n >= items) break;
    if (row < rows && entry >= ends[row]) {
      if (row == first_of_mine) {
        head = sum;
      } else {
        y[first_row + row] = sum;
      }
      ++row;
      sum = 0;
    } else {
      sum += products[entry++];
    }
  }
  // Sums of rows that go on: those of one row are in neighbouring work-items, first of this warp.
  KILN_UNROLL_ALL
  for (int d = 1; d < kWarp; d *= 2) {
    const T before = kiln::shuffle_down(sum, d);
    const int row_before = kiln::shuffle_down(row, d);
    if (lane + d < kWarp && row_before == row) sum += before;
  }
  if (lane == 0) {
    open_rows[warp] = row;
    open_sums[warp] = sum;
  }
  T before = kiln::shuffle_down(sum, 1);
  if (lane == kWarp - 1) before = 0;  // in other warps
  __syncthreads();
  // The first row that ends here has a part in each warp before whose last row it is; so has, in the last
  // work-item, the row that goes on.
  const auto of_warps_before = [&](int wanted) {
    T part = 0;
    for (int w = warp + 1; w < warps && open_rows[w] == wanted; ++w) part += open_sums[w];
    return part;
  };
  if (row > first_of_mine) y[first_row + first_of_mine] = head + before + of_warps_before(first_of_mine);
  if (tid == 0) {
    carry_rows[which] = first_row + rows;
    carries[which] = sum + of_warps_before(row);
  }
}
