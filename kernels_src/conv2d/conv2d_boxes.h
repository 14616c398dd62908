#pragma once

#include "im2col_boxes.h"

#include "../tiles/parts.h"

/// Store, for rows that count the pixels of patches.
struct StorePatches : Store {
  KILN_DEVICE int pixel(int row) const { return Patch{p}.pixel(row); }
  KILN_DEVICE bool inside(int row, int column) const {
    return pixel(row) >= 0 && column < p.filters / p.groups;
  }
  KILN_DEVICE T* address(int row, int column) const { return Store::address(pixel(row), column); }
};

// Patches by filters of one group, in clusters of patches that follow each other; parts of the depth one after the
// other.
struct Works {
  Params p;
  int down, across, count;
  KILN_DEVICE explicit Works(const Patch& patch)
      : p(patch.p), down((patch.count() - 1) / Blocks::down + 1),
        across((p.filters / p.groups - 1) / Params::tile_n + 1), count(down * across * p.splits) {}
  KILN_DEVICE int steps() const {
    return channels_of_group(p) * p.filter_h * elements_of_row(p) / PixelTile::depth;
  }
  __device__ tiles::Work at(int index) const {
    const int split = index / (down * across);
    const tiles::TilePlace place = tiles::tile_place(index % (down * across), down, across, p.walk);
    const int row = place.row * Blocks::down + Blocks::y();
    return {row * Params::tile_m, place.column * Params::tile_n, steps() * split / p.splits * PixelTile::depth,
            steps() * (split + 1) / p.splits * PixelTile::depth, split, row * across + place.column};
  }
};

extern __shared__ char memory[];

template <class Operation>
KILN_DEVICE void conv2d_boxes(const Operation& operation, T* y, const CUtensorMap& x, const CUtensorMap& w,
                              const Sum* bias, Sum* parts, int* arrived, const Params& p) {
  const int group = int(blockIdx.y);
  const Patch patch{p};
  const Works works(patch);
  tiles::run_boxes<Blocks, Params::stages>(
      operation, works, PixelBoxes{x, patch, group},
      FilterBoxes{tiles::boxes_of_b<FilterTile::OfTap, Blocks>(w), p, group}, memory,
      [&](Operation& done, const tiles::Work& work, int rank) {
        const StorePatches store{{y, bias, group, p}};
        if (p.splits == 1) {
          done.store(rank, work.row, work.column, store);
          return;
        }
        const tiles::SharedTile<Sum, Params::tile_m, Params::tile_n> tile{
            parts, group * (works.down * Blocks::down * works.across) + work.tile, p.splits};
        done.store(rank, 0, 0, tile.of(work.split));
        tile.template add<Operation::block>(store, arrived, work.row, work.column, rank,
                                            [] { tiles::sync_computing<Operation::block>(); });
      });
}
