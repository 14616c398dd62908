#include "../conv2d/im2col_boxes.h"

#include "parts.h"

using Operation = tiles::Wgmma<PixelTile, FilterTile, Params::each_m>;

// Parts of patches by filters, in clusters of patches that follow each other.
struct PartWorks {
  Params p;
  int down, across;
  int count;
  __device__ tiles::Work at(int index) const {
    const int tile = index % (down * across);
    const int split = index / (down * across);
    const tiles::TilePlace place = tiles::tile_place(tile, down, across, p.walk);
    const int steps = p.c * p.filter_h * p.filter_w / PixelTile::depth;
    return {(place.row * Blocks::down + Blocks::y()) * Params::tile_m, place.column * Params::tile_n,
            steps * split / p.splits * PixelTile::depth, steps * (split + 1) / p.splits * PixelTile::depth,
            split};
  }
};

/// Finish, for rows that count the pixels of patches.
struct FinishPatches : Finish {
  Patch patch;
  KILN_DEVICE bool inside(int row, int column) const { return patch.pixel(row) >= 0 && column < columns; }
  KILN_DEVICE T* address(int row, int column) const { return Finish::address(patch.pixel(row), column); }
  KILN_DEVICE T value(int row, int column, float sum) const {
    return Finish::value(patch.pixel(row), column, sum);
  }
};

extern "C" __global__ void KILN_LAUNCH_BOUNDS_convolve_wgmma convolve_wgmma(
    T* __restrict__ y, const __grid_constant__ CUtensorMap x, const __grid_constant__ CUtensorMap w,
    const float* __restrict__ bias, const T* __restrict__ residual, float* __restrict__ parts,
    int* __restrict__ arrived, const Params p) {
  extern __shared__ char memory[];
  const Patch patch{p};
  const int down = (patch.count() - 1) / Blocks::down + 1;
  const int across = (p.filters - 1) / Params::tile_n + 1;
  const FinishPatches store{finish(y, residual, bias, p), patch};
  tiles::run_boxes<Blocks, Params::stages>(
      Operation{}, PartWorks{p, down, across, down * across * p.splits}, PixelBoxes{x, patch, 0},
      FilterBoxes{tiles::boxes_of_b<FilterTile::OfTap, Blocks>(w), p, 0}, memory,
      [&](Operation& done, const tiles::Work& work, int rank) {
        if (p.splits == 1) {
          done.store(rank, work.row, work.column, store);
          return;
        }
        const Parts tile{parts, work.row / Params::tile_m * across + work.column / Params::tile_n, p};
        done.store(rank, 0, 0, tile.of(work.split));
        tile.add<Operation::block>(store, arrived, work.row, work.column, rank,
                                   [] { tiles::sync_computing<Operation::block>(); });
      });
}
