#pragma once

#include "gemm.h"

#include "../tiles/cpu.h"

using Packed = tiles::PackedOperands<Sum, Params::tile_k, Params::each_m>;

__device__ inline Packed operands(Sum* panels, const Params& p) {
  constexpr int vector = 64 / int(sizeof(Sum));  // A's panels come first, up to a multiple of it
  return {panels, panels + (Packed::padded(p.m, Packed::Of::each_m) * p.k + vector - 1) / vector * vector,
          p.m, p.n, p.k};
}

/// A block packs tile_m rows of A, or tile_n columns of B, of a part of the depth.
extern "C" __global__ void gemm_pack(Sum* __restrict__ panels, const T* __restrict__ a,
                                     const T* __restrict__ b, const Params p) {
  const Packed packed = operands(panels, p);
  const int k = int(blockIdx.y) * Params::tile_k;
  const int tiles_m = (p.m + Params::tile_m - 1) / Params::tile_m;
  const int tile = int(blockIdx.x);
  if (tile < tiles_m) {
    packed.pack_left(source_a(a, p), tile * Params::tile_m, Params::tile_m, k);
  } else {
    packed.pack_right(source_b(b, p), (tile - tiles_m) * Params::tile_n, Params::tile_n, k);
  }
}
