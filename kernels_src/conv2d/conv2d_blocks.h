#pragma once

#include "conv2d.h"

#include "../tiles/pipeline.h"

template <class Copy, class Operation>
__device__ void conv2d_block(T* __restrict__ y, const T* __restrict__ x, const T* __restrict__ w,
                             const Sum* __restrict__ bias, const Params& p) {
  extern __shared__ __align__(128) char memory[];
  const int rank = int(threadIdx.x);
  const int group = int(blockIdx.y);
  const Im2col a = source_a(x, group, p);
  const auto b = source_b(w, group, p);
  const tiles::TilePlace place = tiles::tile_place(int(blockIdx.x), (a.rows - 1) / Params::tile_m + 1,
                                                   (b.rows - 1) / Params::tile_n + 1, p.walk);
  const int row = place.row * Params::tile_m;
  const int column = place.column * Params::tile_n;
  Operation operation;
  tiles::accumulate<Params::stages, Copy>(operation, a, b, row, column, 0, a.depth, memory, rank);
  const Store store{y, bias, group, p};
  operation.store(rank, row, column, store);
}
