#pragma once

#include "conv2d.h"

#include "../tiles/tma.h"

// The source of im2col.h as boxes: a tile's pixels are a patch, images x rows x columns of y, so that under
// each element of a filter the elements of x are a box too, and 0 outside of x. The depth goes by elements of
// the filter, and 128 bytes of channels of each.
struct Patch {
  Params p;
  static constexpr int images = Params::tile_m / (Params::patch_w * Params::patch_h);

  KILN_DEVICE int across() const { return (p.out_w - 1) / Params::patch_w + 1; }
  KILN_DEVICE int down() const { return (p.out_h - 1) / Params::patch_h + 1; }
  KILN_DEVICE int count() const { return across() * down() * ((p.batch - 1) / images + 1); }
  KILN_DEVICE int column(int tile) const { return tile % across() * Params::patch_w; }
  KILN_DEVICE int row(int tile) const { return tile / across() % down() * Params::patch_h; }
  KILN_DEVICE int image(int tile) const { return tile / (across() * down()) * images; }
};

/// Loads operand A for a group of channels.
struct Im2colBoxes {
  const CUtensorMap& map;
  Patch patch;
  int group;
  __device__ void load(T* to, tiles::Barrier& barrier, int row, int k) const {
    const Params& p = patch.p;
    const int channels = p.c / p.groups;
    const int tap = k / channels;
    const int tile = row / Params::tile_m;
    tiles::load_box(to, map, barrier, group * channels + k % channels,
                    patch.column(tile) * p.stride + tap % p.filter_w * p.dilation - p.padding,
                    patch.row(tile) * p.stride + tap / p.filter_w * p.dilation - p.padding,
                    patch.image(tile));
  }
};

/// Store, for rows that count the pixels of patches.
struct StorePatches : Store {
  KILN_DEVICE int pixel(int row) const {  // -1 outside
    const Patch patch{p};
    const int tile = row / Params::tile_m;
    const int in = row % Params::tile_m;
    const int q = patch.column(tile) + in % Params::patch_w;
    const int o = patch.row(tile) + in / Params::patch_w % Params::patch_h;
    const int image = patch.image(tile) + in / (Params::patch_w * Params::patch_h);
    return q < p.out_w && o < p.out_h && image < p.batch ? (image * p.out_h + o) * p.out_w + q : -1;
  }
  KILN_DEVICE bool inside(int row, int column) const {
    return pixel(row) >= 0 && column < p.filters / p.groups;
  }
  KILN_DEVICE T* address(int row, int column) const { return Store::address(pixel(row), column); }
};
