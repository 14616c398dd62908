#pragma once

#include "im2col_boxes.h"

#include "../tiles/cluster_sums.h"
#include "../tiles/overlap.h"

/// Store, for rows that count the pixels of patches.
struct StorePatches : Store {
  KILN_DEVICE int pixel(int row) const { return Patch{p}.pixel(row); }
  KILN_DEVICE bool inside(int row, int column) const {
    return pixel(row) >= 0 && column < p.filters / p.groups;
  }
  KILN_DEVICE T* address(int row, int column) const { return Store::address(pixel(row), column); }
};

/// StorePatches as lines (see store_fragments), of sums that began with the bias.
struct StoreLines : StorePatches {
  int columns;
  KILN_DEVICE T* line(int row) const {
    const int at = pixel(row);
    return at < 0 ? nullptr : Store::address(at, 0);
  }
  KILN_DEVICE Sum finished(Sum sum) const { return Params::relu && sum < 0 ? Sum(0) : sum; }
};

/// An operation whose sums begin with the bias: at the end of a tile nothing is loaded.
template <class Base>
struct WithBias : Base {
  const Sum* bias;
  int columns;
  __device__ WithBias(const Base& base, const Sum* first, int count)
      : Base(base), bias(first), columns(count) {}
  __device__ void begin(int, int column, int, int rank) {
    tiles::wait_for_launches_before();
    Base::begin_with(rank, [&](int c) { return column + c < columns ? bias[column + c] : Sum(0); });
  }
};

using Sums = tiles::ClusterSums<Params::tile_m, Params::tile_n>;
using Works = tiles::TilesInParts<Blocks, Params::tile_m, Params::tile_n, PixelTile::depth>;

extern __shared__ char memory[];

/// All tiles of the block. `Early`: the operation is WithBias.
template <bool Early, class Operation>
KILN_DEVICE void conv2d_boxes(const Operation& operation, T* y, const CUtensorMap& x, const CUtensorMap& w,
                              const Sum* bias, const Params& p) {
  const int group = int(blockIdx.y);
  const int columns = p.filters / p.groups;
  const Patch patch{p};
  const Works works(patch.count(), columns, channels_of_group(p) * Packing::lines(p) * elements_of_row(p),
                    p.splits, p.walk);
  const StorePatches store{{y, bias, group, p}};
  const PixelBoxes pixels{x, patch, group};
  bool waits = true;
  tiles::run_boxes<Blocks, Params::stages>(
      operation, works, tiles::LaterBoxes<PixelBoxes>{pixels, waits},
      FilterBoxes{tiles::boxes_of_b<FilterTile::OfTap, Blocks>(w), p, group}, memory,
      [&](Operation& done, const tiles::Work& work, int rank) {
        tiles::wait_for_launches_before();
        if constexpr (Params::splits > 1)
          Sums::leave(done, memory, rank);
        else if constexpr (Early)
          done.store(rank, work.row, work.column, StoreLines{{{y, nullptr, group, p}}, columns});
        else
          done.store(rank, work.row, work.column, store);
      });
  if constexpr (Params::splits > 1)
    Sums::add_all<Operation>(memory, p.splits, works.at(int(blockIdx.x)), store);
}
