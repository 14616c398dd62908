#pragma once

#include "layers.h"

#include "../tiles/parts.h"
#include "../tiles/pipeline.h"

// As conv2d, with a residual, and with parts of the depth.

template <class Copy, class Operation>
__device__ void convolve_block(T* __restrict__ y, const T* __restrict__ x, const T* __restrict__ w,
                               const float* __restrict__ bias, const T* __restrict__ residual,
                               float* __restrict__ parts, int* __restrict__ arrived, const Params& p) {
  extern __shared__ __align__(128) char memory[];
  const int rank = int(threadIdx.x);
  const Im2col a = source_a(x, 0, p);
  const auto b = source_b(w, 0, p);
  const tiles::TilePlace place = tiles::tile_place(int(blockIdx.x), (a.rows - 1) / Params::tile_m + 1,
                                                   (b.rows - 1) / Params::tile_n + 1, p.walk);
  const int row = place.row * Params::tile_m;
  const int column = place.column * Params::tile_n;
  const int steps = (a.depth + Params::tile_k - 1) / Params::tile_k;
  const int split = int(blockIdx.y);
  const int begin = steps * split / p.splits * Params::tile_k;
  const int behind = steps * (split + 1) / p.splits * Params::tile_k;
  const int end = behind < a.depth ? behind : a.depth;
  Operation operation;
  tiles::accumulate<Params::stages, Copy>(operation, a, b, row, column, begin, end, memory, rank);
  const Finish store = finish(y, residual, bias, p);
  if (p.splits == 1) {
    operation.store(rank, row, column, store);
    return;
  }
  const tiles::SharedTile<float, Params::tile_m, Params::tile_n> tile{parts, int(blockIdx.x), p.splits};
  operation.store(rank, 0, 0, tile.of(split));
  tile.add<Operation::block>(store, arrived, row, column, rank, [] { __syncthreads(); });
}
