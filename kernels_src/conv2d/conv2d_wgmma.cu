#include "im2col_boxes.h"

using Operation = tiles::Wgmma<PixelTile, FilterTile, Params::each_m>;

// Patches by filters of one group, in clusters of patches that follow each other.
struct Works {
  Params p;
  int down, across, count;
  __device__ tiles::Work at(int index) const {
    const tiles::TilePlace place = tiles::tile_place(index, down, across, p.walk);
    return {(place.row * Blocks::down + Blocks::y()) * Params::tile_m, place.column * Params::tile_n, 0,
            p.c / p.groups * p.filter_h * p.filter_w, 0};
  }
};
extern "C" __global__ void KILN_LAUNCH_BOUNDS_conv2d_wgmma conv2d_wgmma(T* __restrict__ y,
                                                                        const __grid_constant__ CUtensorMap x,
                                                                        const __grid_constant__ CUtensorMap w,
                                                                        const Sum* __restrict__ bias,
                                                                        const Params p) {
  extern __shared__ char memory[];
  const int group = int(blockIdx.y);
  const int filters = p.filters / p.groups;
  const Patch patch{p};
  const int down = (patch.count() - 1) / Blocks::down + 1;
  const int across = (filters - 1) / Params::tile_n + 1;
  tiles::run_boxes<Blocks, Params::stages>(
      Operation{}, Works{p, down, across, down * across}, PixelBoxes{x, patch, group},
      FilterBoxes{tiles::boxes_of_b<FilterTile::OfTap, Blocks>(w), p, group}, memory,
      [&](Operation& done, const tiles::Work& work, int rank) {
        done.store(rank, work.row, work.column, StorePatches{{y, bias, group, p}});
      });
}
