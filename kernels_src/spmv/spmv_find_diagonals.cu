#include "kiln/params.h"

// The diagonals, columns less rows, on which a matrix has entries, for spmv_diagonals: found once, first by
// blocks, each for its part of the rows, then from what they found.

constexpr int places = 256;
constexpr int kFree = 1 << 31;  // no diagonal

// Gives `diagonal` the first place that is free, unless it has one. All look from the first place on, so that
// a diagonal has one place only. Its place, or `places` if there is none.
__device__ inline int place_of(int* found, int diagonal) {
  int place = 0;
  for (; place < places; ++place) {
    const int there = found[place] == diagonal ? diagonal : atomicCAS(found + place, kFree, diagonal);
    if (there == kFree || there == diagonal) break;
  }
  return place;
}

extern "C" __global__ void find_block_diagonals(int* __restrict__ block_diagonals,
                                                const int* __restrict__ row_offsets,
                                                const int* __restrict__ column_indices, const Params p) {
  __shared__ int found[places];
  const int tid = int(threadIdx.x);
  found[tid] = kFree;
  __syncthreads();
  for (long long row = kiln::global_index_x(); row < p.rows; row += kiln::global_size_x()) {
    int place = 0;
    for (int k = row_offsets[row]; k < row_offsets[row + 1]; ++k) {
      const int diagonal = int(column_indices[k] - row);
      place = (place + 1) % places;  // the next entry mostly has the next diagonal
      if (found[place] != diagonal) place = place_of(found, diagonal);
    }
  }
  __syncthreads();
  block_diagonals[blockIdx.x * places + tid] = found[tid];
}

extern "C" __global__ void join_diagonals(int* __restrict__ diagonals, const int* __restrict__ block_diagonals,
                                          int numbers, const Params) {
  __shared__ int found[places];
  const int tid = int(threadIdx.x);
  found[tid] = kFree;
  __syncthreads();
  for (int n = tid; n < numbers; n += places) {
    if (block_diagonals[n] != kFree) place_of(found, block_diagonals[n]);
  }
  __syncthreads();
  diagonals[tid] = found[tid] == kFree ? 0 : found[tid];
}

extern "C" __global__ void make_diagonal_codes(unsigned char* __restrict__ codes,
                                               const int* __restrict__ diagonals,
                                               const int* __restrict__ row_offsets,
                                               const int* __restrict__ column_indices, const Params p) {
  const long long row = kiln::global_index_x();
  if (row >= p.rows) return;
  int code = 0;
  for (int k = row_offsets[row]; k < row_offsets[row + 1]; ++k) {
    int tries = 0;
    for (; tries < places && diagonals[code] != int(column_indices[k] - row); ++tries) code = (code + 1) % places;
    // A matrix with more diagonals: find_strange_rows tells, and until then the step reads inside of x if it can.
    for (int other = 0; tries == places && other < places; ++other) {
      const long long column = row + diagonals[other];
      if (column >= 0 && column < p.columns) code = other;
    }
    codes[k] = (unsigned char)code;
  }
}

// 1 for a row with an entry whose code is not that of its column: the matrix has more diagonals.
extern "C" __global__ void find_strange_rows(int* __restrict__ strange, const unsigned char* __restrict__ codes,
                                             const int* __restrict__ diagonals,
                                             const int* __restrict__ row_offsets,
                                             const int* __restrict__ column_indices, const Params p) {
  const long long row = kiln::global_index_x();
  if (row >= p.rows) return;
  bool wrong = false;
  for (int k = row_offsets[row]; k < row_offsets[row + 1]; ++k)
    wrong = wrong || row + diagonals[codes[k]] != column_indices[k];
  strange[row] = wrong;
}
