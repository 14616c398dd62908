#pragma once

#include "gemm.h"

#include "../tiles/overlap.h"
#include "../tiles/pipeline.h"

// A tile of d for each block; with splits > 1 a part of the depth, whose sums `add_splits` adds.
template <class Copy, class Operation>
__device__ void gemm_block(Operation operation, Out* __restrict__ d, Sum* __restrict__ parts, const T* a,
                           const T* b, const Out* c, const Params& p) {
  extern __shared__ __align__(128) char memory[];
  tiles::wait_for_launches_before();
  if (p.splits > 1) tiles::let_next_start();
  const int rank = int(threadIdx.x);
  const tiles::TilePlace place = place_of_block(p);
  const int row = place.row * Params::tile_m;
  const int column = place.column * Params::tile_n;
  const int steps = (p.k + Params::tile_k - 1) / Params::tile_k;
  const int split = int(blockIdx.y);
  const int begin = int((long long)steps * split / p.splits) * Params::tile_k;
  const int behind = int((long long)steps * (split + 1) / p.splits) * Params::tile_k;
  const int end = behind < p.k ? behind : p.k;
  tiles::accumulate<Params::stages, Copy>(operation, source_a(a, p), source_b(b, p), row, column, begin, end,
                                          memory, rank);
  store_sums(operation, rank, row, column, split, epilogue(d, c, p), parts, p);
}
