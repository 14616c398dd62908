#include "kiln/params.h"

// The diagonals, columns less rows, on which a matrix has entries: 256 at most, so that a byte stands for the
// column of an entry. Made once, by one block, which can wait for itself.

constexpr int analysts = 1024;
constexpr int places = 256;
constexpr int kFree = 1 << 31;  // no diagonal

extern "C" __global__ void find_diagonals(int* __restrict__ diagonals, const int* __restrict__ row_offsets,
                                          const int* __restrict__ column_indices, const Params p) {
  __shared__ int found[places];
  const int tid = int(threadIdx.x);
  if (tid < places) found[tid] = kFree;
  __syncthreads();
  for (long long row = tid; row < p.rows; row += analysts) {
    int place = 0;
    for (int k = row_offsets[row]; k < row_offsets[row + 1]; ++k) {
      const int diagonal = int(column_indices[k] - row);
      // Entries mostly have the next diagonal. All look for a free place from the first one on, so that a
      // diagonal has one place only.
      place = (place + 1) % places;
      if (found[place] == diagonal) continue;
      for (place = 0; place < places; ++place) {
        const int there = atomicCAS(found + place, kFree, diagonal);
        if (there == kFree || there == diagonal) break;
      }
    }
  }
  __syncthreads();
  if (tid < places) diagonals[tid] = found[tid] == kFree ? 0 : found[tid];
}

extern "C" __global__ void make_diagonal_codes(unsigned char* __restrict__ codes,
                                               const int* __restrict__ diagonals,
                                               const int* __restrict__ row_offsets,
                                               const int* __restrict__ column_indices, const Params p) {
  const long long row = kiln::global_index_x();
  if (row >= p.rows) return;
  int code = 0;
  for (int k = row_offsets[row]; k < row_offsets[row + 1]; ++k) {
    for (int tries = 0; tries < places && diagonals[code] != int(column_indices[k] - row); ++tries)
      code = (code + 1) % places;
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
