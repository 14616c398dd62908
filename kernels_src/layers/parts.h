#pragma once

#include "layers.h"

#include "../tiles/parts.h"

// With splits > 1 a block sums a part of the depth of a tile.
struct Parts {
  using Sums = tiles::PartSums<float, Params::tile_m, Params::tile_n>;
  float* sums;  // of all tiles: for each its splits, tile_m x tile_n
  int tile;
  Params p;

  __device__ float* part(int split) const {
    return sums + ((long long)tile * p.splits + split) * Sums::size;
  }
  /// For an operation's `store`, from row and column 0 on.
  __device__ tiles::Epilogue<float, float> of(int split) const { return Sums::store_to(part(split)); }
  /// As PartSums::add, with the counters of all tiles.
  template <int Block, class Store, class Sync>
  __device__ void add(const Store& store, int* arrived, int row, int column, int rank,
                      const Sync& sync) const {
    Sums::add<Block>([&](int split) { return part(split); }, p.splits, arrived + tile, store, row, column,
                     rank, sync);
  }
};
