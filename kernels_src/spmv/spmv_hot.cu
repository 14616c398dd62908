#include "spmv.h"

// The columns with most entries, for spmv_hot. What a matrix is analysed for once is made by one block, which
// can wait for itself.

constexpr int analysts = 1024;
constexpr int bins = 4096;  // of numbers of entries; larger ones are in the last

extern "C" __global__ void count_entries(int* __restrict__ counts, const int* __restrict__ column_indices,
                                         const Params p) {
  for (int column = int(threadIdx.x); column < p.columns; column += analysts) counts[column] = 0;
  __syncthreads();
  for (long long k = int(threadIdx.x); k < p.nonzeros; k += analysts)
    atomicAdd(counts + column_indices[k], 1);
}

// Those with at least `least` entries, which are as many as there are places, or some more.
extern "C" __global__ void find_hot_columns(int* __restrict__ hot_columns, const int* __restrict__ counts,
                                            const Params p) {
  __shared__ int columns_of[bins];
  __shared__ int least, taken;
  const int tid = int(threadIdx.x);
  for (int bin = tid; bin < bins; bin += analysts) columns_of[bin] = 0;
  for (int slot = tid; slot < Params::places; slot += analysts) hot_columns[slot] = 0;
  __syncthreads();
  for (int column = tid; column < p.columns; column += analysts)
    atomicAdd(columns_of + (counts[column] < bins ? counts[column] : bins - 1), 1);
  __syncthreads();
  if (tid == 0) {
    int bin = bins - 1;
    for (int all = columns_of[bin]; all < Params::places && bin > 2;) all += columns_of[--bin];
    least = bin;
    taken = 0;
  }
  __syncthreads();
  for (int column = tid; column < p.columns; column += analysts) {
    if (counts[column] < least) continue;
    const int slot = atomicAdd(&taken, 1);
    if (slot < Params::places) hot_columns[slot] = column;
  }
}

extern "C" __global__ void make_codes(int* __restrict__ codes, const int* __restrict__ hot_columns,
                                      const Params p) {
  for (int column = int(threadIdx.x); column < p.columns; column += analysts) codes[column] = column;
  __syncthreads();
  for (int slot = int(threadIdx.x); slot < Params::places; slot += analysts) codes[hot_columns[slot]] = ~slot;
}

extern "C" __global__ void make_column_codes(int* __restrict__ column_codes, const int* __restrict__ codes,
                                             const int* __restrict__ column_indices, const Params p) {
  const long long k = kiln::global_index_x();
  if (k < p.nonzeros) column_codes[k] = codes[column_indices[k]];
}
