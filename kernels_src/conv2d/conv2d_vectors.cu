#include "conv2d.h"

#include "../tiles/cpu.h"

using Packed = tiles::PackedOperands<Sum, Params::tile_k, Params::each_m>;

/// The filters of a group, packed.
__device__ inline Packed filters_of(Sum* packed, int group, const Params& p) {
  const int filters = p.filters / p.groups;
  const int depth = p.c / p.groups * p.filter_h * p.filter_w;
  return {nullptr, packed + group * Packed::padded(filters, Packed::Of::each_n) * depth, 0, filters, depth};
}

extern "C" __global__ void conv2d_pack_filters(Sum* __restrict__ packed, const T* __restrict__ w,
                                               const Params p) {
  const int group = int(blockIdx.z);
  filters_of(packed, group, p)
      .pack_right(source_b(w, group, p), int(blockIdx.x) * Params::tile_n, Params::tile_n,
                  int(blockIdx.y) * Params::tile_k);
}

// Sums between parts of the depth are kept for the tile.
extern "C" __global__ void conv2d_vectors(T* __restrict__ y, const T* __restrict__ x,
                                          Sum* __restrict__ packed, const Sum* __restrict__ bias,
                                          const Params p) {
  __shared__ tiles::PackedRows<Sum, Params::tile_m, Params::tile_n, Params::tile_k, Params::each_m> pixels;
  __shared__ Sum so_far[Params::tile_m][Params::tile_n];
  const int group = int(blockIdx.y);
  const Im2col a = source_a(x, group, p);
  const Packed b = filters_of(packed, group, p);
  const tiles::TilePlace place = tiles::tile_place(int(blockIdx.x), (a.rows - 1) / Params::tile_m + 1,
                                                   (b.n - 1) / Params::tile_n + 1, p.walk);
  const int row0 = place.row * Params::tile_m;
  const int column0 = place.column * Params::tile_n;
  const Store store{y, bias, group, p};
  pixels.run(a, b, row0, column0,
             [&](int row, int column, const Sum* __restrict__ sums, int count, int, bool first, bool last) {
               Sum* __restrict__ line = &so_far[row - row0][column - column0];
               tiles::finish_part<Packed::Of::each_n>(line, store, row, column, sums, count, first, last);
             });
}
