#include "spmv_bulk.h"

// A block has as many neighbouring rows as it has teams. Their entries are one range of memory, which is
// copied to shared memory as it is; a team then sums its row from there. Work-items of neighbouring rows read
// neighbouring elements of x where rows are alike, as those of stencils are. With `diagonals` a byte stands
// for an entry's column: the number of its diagonal.

#if defined(SPMV_DIAGONALS)
using Code = unsigned char;
__device__ inline long long column_of(Code code, long long row, const int* __restrict__ diagonals) {
  return row + diagonals[code];
}
#else
using Code = int;
__device__ inline long long column_of(Code code, long long, const int*) {
  return code;
}
#endif

constexpr int share = Params::block * Params::items;  // entries of a copy

extern "C" __global__ void KILN_LAUNCH_BOUNDS_spmv_staged
spmv_staged(T* __restrict__ y, const int* __restrict__ row_offsets, const Code* __restrict__ codes,
            const T* __restrict__ values, const T* __restrict__ x, const int* __restrict__ diagonals,
            const Params p) {
  extern __shared__ __align__(128) char memory[];
  __shared__ Copies<1> copies;
  const int lane = int(threadIdx.x) % lanes;
  const long long first_row = (long long)blockIdx.x * teams;
  const long long behind = first_row + teams < p.rows ? first_row + teams : p.rows;
  const int first = row_offsets[first_row];
  const int last = row_offsets[behind];
  copies.init();
  __syncthreads();
  const long long row = first_row + int(threadIdx.x) / lanes;
  const int begin = row < p.rows ? row_offsets[row] : last;
  const int end = row < p.rows ? row_offsets[row + 1] : last;
  T sum = 0;
  unsigned turn = 0;
  for (int base = first; base < last; base += share) {
    const int count = last - base < share ? last - base : share;
    const Range<T> near_values(memory, values, base, count, p.nonzeros);
    const Range<Code> near_codes(memory + bytes_for<T>(share), codes, base, count, p.nonzeros);
    copies.begin(0, near_values, near_codes);
    copies.end(0, turn++, near_values, near_codes);
    const int from = begin > base ? begin : base;
    const int to = end < base + count ? end : base + count;
    KILN_UNROLL(8)
    for (int k = from + lane; k < to; k += lanes)
      sum += near_values.at(k) * x[column_of(near_codes.at(k), row, diagonals)];
    if (base + share < last) __syncthreads();
  }
  sum = sum_of_team(sum);
  if (lane == 0 && row < p.rows) y[row] = sum;
}
