#pragma once

#include "im2col_boxes.h"

/// Store, for rows that count the pixels of patches.
struct StorePatches : Store {
  KILN_DEVICE int pixel(int row) const { return Patch{p}.pixel(row); }
  KILN_DEVICE bool inside(int row, int column) const {
    return pixel(row) >= 0 && column < p.filters / p.groups;
  }
  KILN_DEVICE T* address(int row, int column) const { return Store::address(pixel(row), column); }
};

// Patches by filters of one group, in clusters of patches that follow each other.
struct Works {
  Params p;
  int down, across, count;
  __device__ tiles::Work at(int index) const {
    const tiles::TilePlace place = tiles::tile_place(index, down, across, p.walk);
    return {(place.row * Blocks::down + Blocks::y()) * Params::tile_m, place.column * Params::tile_n, 0,
            channels_of_group(p) * p.filter_h * elements_of_row(p), 0};
  }
};

extern __shared__ char memory[];

template <class Operation>
KILN_DEVICE void conv2d_boxes(const Operation& operation, T* y, const CUtensorMap& x, const CUtensorMap& w,
                              const Sum* bias, const Params& p) {
  const int group = int(blockIdx.y);
  const int filters = p.filters / p.groups;
  const Patch patch{p};
  const int down = (patch.count() - 1) / Blocks::down + 1;
  const int across = (filters - 1) / Params::tile_n + 1;
  tiles::run_boxes<Blocks, Params::stages>(
      operation, Works{p, down, across, down * across}, PixelBoxes{x, patch, group},
      FilterBoxes{tiles::boxes_of_b<FilterTile::OfTap, Blocks>(w), p, group}, memory,
      [&](Operation& done, const tiles::Work& work, int rank) {
        done.store(rank, work.row, work.column, StorePatches{{y, bias, group, p}});
      });
}
