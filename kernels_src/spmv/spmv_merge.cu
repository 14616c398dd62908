#include "spmv_shares.h"

struct InMemory {
  const T* __restrict__ x;
  __device__ T operator()(int column) const { return x[column]; }
};

extern "C" __global__ void KILN_LAUNCH_BOUNDS_spmv_merge spmv_merge(
    T* __restrict__ y, int* __restrict__ carry_rows, T* __restrict__ carries, const int* __restrict__ edges,
    const int* __restrict__ row_offsets, const int* __restrict__ column_indices, const T* __restrict__ values,
    const T* __restrict__ x, const Params p) {
  multiply_share(int(blockIdx.x), y, carry_rows, carries, edges, row_offsets, column_indices, values,
                 InMemory{x}, p);
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
