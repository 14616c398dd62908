#pragma once

#include "conv2d.h"

/// Whether x is packed first; other workloads' Params need not have the parameter.
template <class P, class = void>
constexpr bool packs = false;
template <class P>
constexpr bool packs<P, decltype(void(P::packed))> = P::packed;

/// How packed x is stored: 16 bytes of it are the channels of `rows` pixels below each other, as far as a
/// filter has so many. Of rows only every `apart`-th begins one.
struct Packing {
  static constexpr int per_pixel = 16 / int(sizeof(T));
  KILN_DEVICE static int rows(const Params& p) {
    return !packs<Params> ? 1 : per_pixel / p.c < p.filter_h ? per_pixel / p.c : p.filter_h;
  }
  KILN_DEVICE static int apart(const Params& p) { return p.stride % rows(p) == 0 ? rows(p) : 1; }
  /// Steps of the depth, or rows of a filter.
  KILN_DEVICE static int lines(const Params& p) { return (p.filter_h - 1) / rows(p) + 1; }
  /// Of stored x under a row of y, in a step of the filter.
  KILN_DEVICE static int row(const Params& p, int of_y, int line) {
    return (of_y * p.stride + line * rows(p) * Params::dilation) / apart(p);
  }
};

/// The pixels of a tile, where boxes load x: images x rows x columns of y. Patches are numbered along the
/// columns first, images last.
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
