#pragma once

#include "patch.h"

#include "../tiles/pipeline_tma.h"
#include "../tiles/wgmma.h"

// The source of im2col.h as boxes: a tile's pixels are a patch, images x rows x columns of y, so that under
// each element of a filter the elements of x are a box too, and 0 outside of x. A step of the depth is 128
// bytes of channels of `taps` neighbours in a filter's row: one of them, or all, which then share a box that
// is wider by what lies between the first and the last.
using Blocks = tiles::Cluster<Params::cluster_m, 1>;
constexpr int taps = Params::taps;
constexpr int channels_at_once = 128 / int(sizeof(T));

// With few channels `pack` has written x with a border of zeros, as Packing. 8 neighbouring pixels are 128
// bytes: as if some rows of a filter were one element with that many channels.
constexpr bool packed = packs<Params>;
KILN_DEVICE int channels_of_group(const Params& p) {
  return packed ? channels_at_once : p.c / p.groups;
}
KILN_DEVICE int elements_of_row(const Params& p) {
  return packed ? 1 : p.filter_w;
}

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
  const int blocks = channels_of_group(p) / channels_at_once;
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
    const int border = packed ? 0 : p.padding;
    const int apart = packed ? 1 : p.stride;  // columns of x between those of y, as the map sees them
    tiles::load_box(to, map, barrier, group * channels_of_group(p) + at.channel,
                    patch.column(tile) * apart + at.tap % elements_of_row(p) * Params::dilation - border,
                    Packing::row(p, patch.row(tile), at.tap / elements_of_row(p)) - border,
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
                 (at.tap + tap) * channels_of_group(p) + at.channel);
  }
};
