#include "spmv_shares.h"

// Where a few columns have many of the entries: blocks stay and keep their elements of x in shared memory. A
// column's code is its number, or ~(its place there).
struct HotInShared {
  const T* __restrict__ x;
  const T* hot;
  __device__ T operator()(int code) const { return code < 0 ? hot[~code] : x[code]; }
};

extern "C" __global__ void KILN_LAUNCH_BOUNDS_spmv_hot
spmv_hot(T* __restrict__ y, int* __restrict__ carry_rows, T* __restrict__ carries,
         const int* __restrict__ edges, const int* __restrict__ row_offsets,
         const int* __restrict__ column_codes, const int* __restrict__ hot_columns,
         const T* __restrict__ values, const T* __restrict__ x, int shares, const Params p) {
  extern __shared__ __align__(16) char memory[];
  T* hot = reinterpret_cast<T*>(memory);
  for (int slot = int(threadIdx.x); slot < Params::places; slot += block) hot[slot] = x[hot_columns[slot]];
  for (int which = int(blockIdx.x); which < shares; which += int(gridDim.x)) {
    __syncthreads();
    multiply_share(which, y, carry_rows, carries, edges, row_offsets, column_codes, values,
                   HotInShared{x, hot}, p);
  }
}
