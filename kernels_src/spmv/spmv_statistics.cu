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

struct Counts {
  int entries = 0, alone = 0, central = 0;
};

// Adds every `step`-th entry of a row, from `first` on.
__device__ inline void add_entries(Counts& counts, long long row, int first, int step,
                                   const int* __restrict__ row_offsets, const int* __restrict__ column_indices,
                                   const Params& p) {
  const long long diagonal = row * p.columns / p.rows;
  const int before = row_offsets[row - 1], begin = row_offsets[row], end = row_offsets[row + 1];
  for (int k = begin + first; k < end; k += step) {
    const int column = column_indices[k];
    ++counts.entries;
    counts.alone += !has_near(column_indices, before, begin, column);
    counts.central += column - diagonal <= Params::places / 2 && diagonal - column <= Params::places / 2;
  }
}

// Of rows spread over the matrix: their entries; of these, those with no near entry in the row before, whose
// elements of x are in no cache; and those within `places` columns around the diagonal. One block. Its
// work-items share the entries of rows that have more than one for each, as if these were one row.
extern "C" __global__ void sample_rows(int* __restrict__ sampled, const int* __restrict__ row_offsets,
                                       const int* __restrict__ column_indices, const Params p) {
  __shared__ int sums[3], long_rows;
  __shared__ unsigned short long_row[block * samples];  // numbers of samples
  if (threadIdx.x < 3) sums[threadIdx.x] = 0;
  if (threadIdx.x == 0) long_rows = 0;
  __syncthreads();
  Counts counts;
  const int all = int(p.rows - 1 < block * samples ? p.rows - 1 : block * samples);
  for (int n = int(threadIdx.x); n < all; n += block) {
    const long long row = 1 + (long long)n * (p.rows - 1) / all;
    if (row_offsets[row + 1] - row_offsets[row] > block) {
      long_row[atomicAdd(&long_rows, 1)] = (unsigned short)n;
    } else {
      add_entries(counts, row, 0, 1, row_offsets, column_indices, p);
    }
  }
  __syncthreads();
  int first = int(threadIdx.x);  // of the work-item's entries of a row
  for (int i = 0; i < long_rows; ++i) {
    const long long row = 1 + (long long)long_row[i] * (p.rows - 1) / all;
    add_entries(counts, row, first, block, row_offsets, column_indices, p);
    const int left = (row_offsets[row + 1] - row_offsets[row]) % block;
    first = (first - left + block) % block;
  }
  atomicAdd(sums, counts.entries);
  atomicAdd(sums + 1, counts.alone);
  atomicAdd(sums + 2, counts.central);
  __syncthreads();
  if (threadIdx.x < 3) sampled[threadIdx.x] = sums[threadIdx.x];
}
