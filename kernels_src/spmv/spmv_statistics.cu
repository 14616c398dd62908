#include "kiln/params.h"

// What the method of a matrix is chosen by.

extern "C" __global__ void find_longest(int* __restrict__ longest_row, const int* __restrict__ row_offsets,
                                        const Params p) {
  const long long row = kiln::global_index_x();
  if (row < p.rows) atomicMax(longest_row, row_offsets[row + 1] - row_offsets[row]);
}

constexpr int block = 1024;
constexpr int samples = 16;    // rows of a work-item
constexpr int line = 8;        // elements that lie so near are mostly in the same part of a cache line

// Whether a row, whose columns ascend, has an entry within `line` columns.
__device__ inline bool has_near(const int* __restrict__ column_indices, int begin, int end, int column) {
  while (begin < end) {
    const int middle = begin + (end - begin) / 2;
    const int there = column_indices[middle];
    if (there >= column - line && there <= column + line) return true;
    if (there < column) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return false;
}

// Of rows spread over the matrix: their entries; of these, those with no near entry in the row before, whose
// elements of x are in no cache; and those within `places` columns around the diagonal. One block.
extern "C" __global__ void sample_rows(int* __restrict__ sampled, const int* __restrict__ row_offsets,
                                       const int* __restrict__ column_indices, const Params p) {
  __shared__ int counts[3];
  if (threadIdx.x < 3) counts[threadIdx.x] = 0;
  __syncthreads();
  int entries = 0, alone = 0, central = 0;
  const long long all = p.rows - 1 < block * samples ? p.rows - 1 : block * samples;
  for (long long n = int(threadIdx.x); n < all; n += block) {
    const long long row = 1 + n * (p.rows - 1) / all;
    const long long diagonal = row * p.columns / p.rows;
    const int begin = row_offsets[row];
    const int end = row_offsets[row + 1];
    for (int k = begin; k < end; ++k) {
      const int column = column_indices[k];
      ++entries;
      alone += !has_near(column_indices, row_offsets[row - 1], begin, column);
      central += column - diagonal <= Params::places / 2 && diagonal - column <= Params::places / 2;
    }
  }
  atomicAdd(counts, entries);
  atomicAdd(counts + 1, alone);
  atomicAdd(counts + 2, central);
  __syncthreads();
  if (threadIdx.x < 3) sampled[threadIdx.x] = counts[threadIdx.x];
}
