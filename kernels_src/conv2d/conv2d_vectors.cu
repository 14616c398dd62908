#include "conv2d.h"

#include "../tiles/cpu.h"

// Sums between parts of the depth are kept for the tile.
extern "C" __global__ void conv2d_vectors(T* __restrict__ y, const T* __restrict__ x, const T* __restrict__ w,
                                          const Sum* __restrict__ bias, const Params p) {
  __shared__ tiles::Vectors<Sum, Params::tile_m, Params::tile_n, Params::tile_k, Params::each_m> panels;
  __shared__ Sum so_far[Params::tile_m][Params::tile_n];
  const int group = int(blockIdx.y);
  const Im2col a = source_a(x, group, p);
  const auto b = source_b(w, group, p);
  const tiles::TilePlace place = tiles::tile_place(int(blockIdx.x), (a.rows - 1) / Params::tile_m + 1,
                                                   (b.rows - 1) / Params::tile_n + 1, p.walk);
  const int row0 = place.row * Params::tile_m;
  const int column0 = place.column * Params::tile_n;
  const Store store{y, bias, group, p};
  panels.run(a, b, row0, column0, 0, a.depth,
             [&](int row, int column, const Sum* sums, int count, int, bool first, bool last) {
               Sum* line = &so_far[row - row0][column - column0];
               for (int j = 0; j < count; ++j) {
                 line[j] = first ? sums[j] : line[j] + sums[j];
                 if (last) tiles::store_one(store, row, column + j, line[j]);
               }
             });
}
