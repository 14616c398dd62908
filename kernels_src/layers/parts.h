#pragma once

#include "layers.h"

// With splits > 1 a block sums a part of the depth of a tile; the last block to arrive adds the parts, in
// their order, so that results do not depend on which one it is.
struct Parts {
  float* sums;  // of all tiles: for each its splits, tile_m x tile_n
  int tile;
  Params p;
  static constexpr int size = Params::tile_m * Params::tile_n;

  __device__ float* part(int split) const { return sums + ((long long)tile * p.splits + split) * size; }
  /// For an operation's `store`, from row and column 0 on.
  __device__ tiles::Epilogue<float, float> of(int split) const {
    return {part(split), Params::tile_n, Params::tile_m, Params::tile_n, 1, 0, nullptr};
  }
  /// `Block` work-items call it when they have stored their part; sync() is a barrier for them. The counter
  /// of the tile in `arrived` is 0 before the first and after the last.
  template <int Block, class Store, class Sync>
  __device__ void add(const Store& store, int* arrived, int row, int column, int rank,
                      const Sync& sync) const {
    __shared__ int before;
    __threadfence();
    sync();
    if (rank == 0) before = atomicAdd(arrived + tile, 1);
    sync();
    const bool last = before == p.splits - 1;
    sync();  // `before` may be written again
    if (!last) return;
    if (rank == 0) arrived[tile] = 0;
    __threadfence();
    constexpr int count = 4;
    constexpr int line = Params::tile_n / count;
    for (int i = rank; i < Params::tile_m * line; i += Block) {
      float sum[count] = {};
      for (int split = 0; split < p.splits; ++split) {
        const auto pack = kiln::load_pack<count>(part(split) + i * count);
        KILN_UNROLL_ALL
        for (int e = 0; e < count; ++e) sum[e] += pack.at[e];
      }
      tiles::store_run<count>(store, row + i / line, column + i % line * count,
                              [&](int e) { return sum[e]; });
    }
  }
};
