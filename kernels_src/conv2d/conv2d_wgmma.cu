#include "im2col_boxes.h"

#include "../tiles/pipeline_tma.h"
#include "../tiles/wgmma.h"

using Blocks = tiles::Cluster<Params::cluster_m, 1>;
using Operation = tiles::Wgmma<T, Params::tile_m, Params::tile_n, Params::each_m, true, true>;

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
// The filters of a group are rows of operand B.
struct FilterBoxes : tiles::Boxes<Operation::LayoutB, Blocks::down> {
  int first;
  __device__ void load(T* to, tiles::Barrier& barrier, int row, int k) const {
    tiles::Boxes<Operation::LayoutB, Blocks::down>::load(to, barrier, first + row, k);
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
      Operation{}, Works{p, down, across, down * across}, Im2colBoxes{x, patch, group},
      FilterBoxes{tiles::boxes_of_b<Operation::LayoutB, Blocks>(w), group * filters}, memory,
      [&](Operation& done, const tiles::Work& work, int rank) {
        done.store(rank, work.row, work.column, StorePatches{{y, bias, group, p}});
      });
}
