#include "spmv.h"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#include "../tiles/tma.h"
#define SPMV_BULK 1
#else
#define SPMV_BULK 0
#endif

// For matrices whose entries lie on at most 256 diagonals: a byte stands for the column of an entry, the
// number of its diagonal. A block has as many neighbouring rows as it has teams. Their entries are one range
// of memory, which is copied to shared memory as it is, on Hopper by its copy engine; a team then sums its
// row from there. Work-items of neighbouring rows read neighbouring elements of x where rows are alike, as
// those of stencils are.

using Code = unsigned char;
constexpr int block = Params::block;
constexpr int kPack = 16;  // entries: their codes are 16 bytes, their values a multiple of that
constexpr int share = (block * Params::items + 2 * kPack - 1) / kPack * kPack;  // entries of a copy

// The entries [base, base + count) to shared memory, where base is a multiple of kPack. The copy engine copies
// whole packs, which may reach beyond the range but not beyond the matrix, whose last entries come one by one.
#if SPMV_BULK
__device__ inline void load(T* values, Code* codes, const T* from_values, const Code* from_codes, int base,
                            int count, int nonzeros, tiles::Barrier& barrier, unsigned turn) {
  const int reach = (count + kPack - 1) / kPack * kPack;
  const int whole = base + reach <= nonzeros ? reach : count / kPack * kPack;
  if (threadIdx.x == 0) {
    tiles::fence_shared_for_copies();  // after the loads of the copy before
    barrier.expect(whole * int(sizeof(T) + sizeof(Code)));
    if (whole > 0) {
      tiles::load_bytes(values, from_values + base, whole * int(sizeof(T)), barrier);
      tiles::load_bytes(codes, from_codes + base, whole * int(sizeof(Code)), barrier);
    }
  }
  const int k = whole + int(threadIdx.x);
  if (k < count) {
    values[k] = from_values[base + k];
    codes[k] = from_codes[base + k];
  }
  barrier.wait(turn % 2);
  if (whole < count) __syncthreads();
}
#endif

extern "C" __global__ void KILN_LAUNCH_BOUNDS_spmv_diagonals
spmv_diagonals(T* __restrict__ y, const int* __restrict__ row_offsets, const Code* __restrict__ codes,
               const T* __restrict__ values, const T* __restrict__ x, const int* __restrict__ diagonals,
               const Params p) {
  extern __shared__ __align__(128) char memory[];
  T* const near_values = reinterpret_cast<T*>(memory);
  Code* const near_codes = reinterpret_cast<Code*>(memory + share * sizeof(T));
  const int lane = int(threadIdx.x) % lanes;
  const long long first_row = (long long)blockIdx.x * teams;
  const long long behind = first_row + teams < p.rows ? first_row + teams : p.rows;
  const int first = row_offsets[first_row];
  const int last = row_offsets[behind];
#if SPMV_BULK
  __shared__ tiles::Barrier barrier;
  unsigned turn = 0;
  if (threadIdx.x == 0) {
    barrier.init(1);
    tiles::fence_barriers();
  }
  __syncthreads();
#endif
  const long long row = first_row + int(threadIdx.x) / lanes;
  const int begin = row < p.rows ? row_offsets[row] : last;
  const int end = row < p.rows ? row_offsets[row + 1] : last;
  T sum = 0;
  for (int base = first / kPack * kPack; base < last; base += share) {
    const int count = last - base < share ? last - base : share;
#if SPMV_BULK
    load(near_values, near_codes, values, codes, base, count, p.nonzeros, barrier, turn++);
#else
    for (int k = int(threadIdx.x); k < count; k += block) {
      near_values[k] = once(values + base + k);
      near_codes[k] = once(codes + base + k);
    }
    __syncthreads();
#endif
    const int from = (begin > base ? begin : base) - base;
    const int to = (end < base + count ? end : base + count) - base;
    KILN_UNROLL(8)
    for (int k = from + lane; k < to; k += lanes) sum += near_values[k] * x[row + diagonals[near_codes[k]]];
    if (base + share < last) __syncthreads();
  }
  sum = sum_of_team(sum);
  if (lane == 0 && row < p.rows) y[row] = sum;
}
