#pragma once

#include "layers.h"

#include "../tiles/cpu.h"

// Sums between parts of the depth are kept for the tile.
__device__ inline void convolve_tile(T* __restrict__ y, const T* __restrict__ x, const T* __restrict__ w,
                                     const float* __restrict__ bias, const T* __restrict__ residual, float*,
                                     int*, const Params& p) {
  __shared__ tiles::Vectors<float, Params::tile_m, Params::tile_n, Params::tile_k, Params::each_m> panels;
  __shared__ float so_far[Params::tile_m][Params::tile_n];
  const Im2col a = source_a(x, 0, p);
  const auto b = source_b(w, 0, p);
  const tiles::TilePlace place = tiles::tile_place(int(blockIdx.x), (a.rows - 1) / Params::tile_m + 1,
                                                   (b.rows - 1) / Params::tile_n + 1, p.walk);
  const int row0 = place.row * Params::tile_m;
  const int column0 = place.column * Params::tile_n;
  const Finish store = finish(y, residual, bias, p);
  panels.run(a, b, row0, column0, 0, a.depth,
             [&](int row, int column, const float* sums, int count, bool first, bool last) {
               float* line = &so_far[row - row0][column - column0];
               for (int j = 0; j < count; ++j) {
                 line[j] = first ? sums[j] : line[j] + sums[j];
                 if (last) *store.address(row, column + j) = store.value(row, column + j, line[j]);
               }
             });
}
