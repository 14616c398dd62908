#pragma once

#include "conv2d.h"

#include "../tiles/pipeline_tma.h"
#include "../tiles/wgmma.h"

// The source of im2col.h as boxes: a tile's pixels are a patch, images x rows x columns of y, so that under
// each element of a filter the elements of x are a box too, and 0 outside of x. A step of the depth is 128
// bytes of channels of `taps` neighbours in a filter's row: one of them, or all, which then share a box that
// is wider by what lies between the first and the last.
using Blocks = tiles::Cluster<Params::cluster_m, 1>;
constexpr int taps = Params::taps;
constexpr int channels_at_once = 128 / int(sizeof(T));

struct Patch {
  Params p;
  static constexpr int images = Params::tile_m / (Params::patch_w * Params::patch_h);

  KILN_DEVICE int across() const { return (p.out_w - 1) / Params::patch_w + 1; }
  KILN_DEVICE int down() const { return (p.out_h - 1) / Params::patch_h + 1; }
  KILN_DEVICE int count() const { return across() * down() * ((p.batch - 1) / images + 1); }
  KILN_DEVICE int column(int tile) const { return tile % across() * Params::patch_w; }
  KILN_DEVICE int row(int tile) const { return tile / across() % down() * Params::patch_h; }
  KILN_DEVICE int image(int tile) const { return tile / (across() * down()) * images; }
  /// The pixel of y that a row is, rows counting the pixels of patches; -1 outside.
  KILN_DEVICE int pixel(int row) const {
    const int tile = row / Params::tile_m;
    const int in = row % Params::tile_m;
    const int q = column(tile) + in % Params::patch_w;
    const int o = this->row(tile) + in / Params::patch_w % Params::patch_h;
    const int i = image(tile) + in / (Params::patch_w * Params::patch_h);
    return q < p.out_w && o < p.out_h && i < p.batch ? (i * p.out_h + o) * p.out_w + q : -1;
  }
};

/// Operand A in shared memory. With several taps a line of the box is a patch's 8 pixels and their
/// neighbours; an instruction begins at the tap's first pixel. (The swizzle goes by the address, so it may
/// begin there.)
struct PixelTile {
  using Element = T;
  static constexpr bool k_contiguous = true;
  static constexpr int rows = Params::tile_m;
  static constexpr int depth = taps * channels_at_once;
  static constexpr int line = Params::patch_w + (taps - 1) * Params::dilation;
  static constexpr int bytes = rows / Params::patch_w * line * 128;
  static_assert(taps == 1 || Params::patch_w == 8, "one stride from 8 pixels to the next 8");
  __device__ static unsigned long long describe(const T* tile, int row, int step) {
    constexpr int pitch = taps == 1 ? 1024 : line * 128;
    const int start = row / 8 * pitch + step / 4 * Params::dilation * 128 + step % 4 * 32;
    return tiles::detail::describe(tiles::shared_address(tile) + unsigned(start), 16, pitch);
  }
};

/// Operand B: a tile for each tap.
struct FilterTile {
  using Element = T;
  using OfTap = tiles::Swizzled<T, Params::tile_n, true>;
  static constexpr bool k_contiguous = true;
  static constexpr int rows = Params::tile_n;
  static constexpr int depth = taps * channels_at_once;
  static constexpr int bytes = taps * OfTap::bytes;
  __device__ static unsigned long long describe(const T* tile, int row, int step) {
    return OfTap::describe(tile + step / 4 * rows * channels_at_once, row, step % 4);
  }
};

/// A step's place in a filter: the first tap, and the first channel of the group's.
struct FilterPlace {
  int tap, channel;
};
KILN_DEVICE FilterPlace filter_place(int k, const Params& p) {
  const int step = k / PixelTile::depth;
  const int blocks = p.c / p.groups / channels_at_once;
  return {step / blocks * taps, step % blocks * channels_at_once};
}

/// Loads operand A for a group of channels.
struct PixelBoxes {
  const CUtensorMap& map;
  Patch patch;
  int group;
  __device__ void load(T* to, tiles::Barrier& barrier, int row, int k) const {
    const Params& p = patch.p;
    const FilterPlace at = filter_place(k, p);
    const int tile = row / Params::tile_m;
    tiles::load_box(to, map, barrier, group * (p.c / p.groups) + at.channel,
                    patch.column(tile) * p.stride + at.tap % p.filter_w * Params::dilation - p.padding,
                    patch.row(tile) * p.stride + at.tap / p.filter_w * Params::dilation - p.padding,
                    patch.image(tile));
  }
};

/// Loads operand B, whose rows are all groups' filters.
struct FilterBoxes {
  tiles::Boxes<FilterTile::OfTap, Blocks::down> boxes;
  Params p;
  int group;
  __device__ void load(T* to, tiles::Barrier& barrier, int row, int k) const {
    const FilterPlace at = filter_place(k, p);
    KILN_UNROLL_ALL
    for (int tap = 0; tap < taps; ++tap)
      boxes.load(to + tap * Params::tile_n * channels_at_once, barrier, group * (p.filters / p.groups) + row,
                 (at.tap + tap) * (p.c / p.groups) + at.channel);
  }
};

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
            p.c / p.groups * p.filter_h * p.filter_w, 0};
  }
};

template <class Operation>
KILN_DEVICE void conv2d_boxes(const Operation& operation, T* y, const CUtensorMap& x, const CUtensorMap& w,
                              const Sum* bias, const Params& p) {
  extern __shared__ char memory[];
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
