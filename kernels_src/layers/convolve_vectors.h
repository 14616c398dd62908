#pragma once

#include "layers.h"

#include "../tiles/cpu.h"

// For a CPU. Operand A is not packed: neighbours along the depth are channels of a pixel, which are broadcast
// from x itself. Filters are packed for tile_k of the depth and tile_n filters; sums between such parts are
// kept for the tile.

using Panels = tiles::Vectors<float, Params::each_m, Params::tile_n, Params::tile_k, Params::each_m>;
using Vector = Panels::Vector;
constexpr int lanes = Panels::lanes;
constexpr int each_n = Panels::each_n;

/// Count elements of operand A from (row, k) on, in float: in x itself, or in `copy`.
inline const float* piece_of(const Im2col& a, int row, int k, int count, float* copy) {
  const bool inside = row < a.rows && a.inside(a.place(row, k));
  const T* from = inside ? a.address(row, k) : nullptr;
  if (sizeof(T) == 4 && inside) return reinterpret_cast<const float*>(from);
  for (int i = 0; i < count; ++i) copy[i] = inside ? float(from[i]) : 0.0f;
  return copy;
}

__device__ inline void convolve_tile(T* __restrict__ y, const T* __restrict__ x, const T* __restrict__ w,
                                     const float* __restrict__ bias, const T* __restrict__ residual, float*,
                                     int*, const Params& p) {
  constexpr int each_m = Params::each_m;
  constexpr int strips = Params::tile_n / each_n;
  alignas(64) __shared__ float right[Params::tile_n * Params::tile_k];
  alignas(64) __shared__ float so_far[Params::tile_m][Params::tile_n];
  __shared__ float copies[each_m][Params::tile_k];
  const Im2col a = source_a(x, 0, p);
  const auto b = source_b(w, 0, p);
  const tiles::TilePlace place = tiles::tile_place(int(blockIdx.x), (a.rows - 1) / Params::tile_m + 1,
                                                   (b.rows - 1) / Params::tile_n + 1, p.walk);
  const int row0 = place.row * Params::tile_m;
  const int column0 = place.column * Params::tile_n;
  const Finish store = finish(y, residual, bias, p);
  const int line = p.padding == 0 && p.dilation == 1 ? p.filter_w * p.c : p.c;  // one piece of memory
  for (int k0 = 0; k0 < a.depth; k0 += Params::tile_k) {
    const int depth = a.depth - k0 < Params::tile_k ? a.depth - k0 : Params::tile_k;
    Panels::pack<each_n>(right, b, column0, Params::tile_n, k0, depth);
    for (int i = 0; i < Params::tile_m && row0 + i < a.rows; i += each_m) {
      Vector sums[strips][each_m][2];
      if (k0 == 0) {
        for (auto& strip : sums) {
          KILN_UNROLL_ALL
          for (int r = 0; r < each_m; ++r) strip[r][0] = strip[r][1] = Vector{};
        }
      } else {
        __builtin_memcpy(sums, so_far[i], sizeof sums);
      }
      for (int k = 0; k < depth;) {
        const int rest = line - (k0 + k) % line;
        const int count = rest < depth - k ? rest : depth - k;
        const float* from[each_m];
        KILN_UNROLL_ALL
        for (int r = 0; r < each_m; ++r) from[r] = piece_of(a, row0 + i + r, k0 + k, count, copies[r]);
        for (int s = 0; s < strips && column0 + s * each_n < b.rows; ++s) {
          Vector own[each_m][2];
          KILN_UNROLL_ALL
          for (int r = 0; r < each_m; ++r) {
            own[r][0] = sums[s][r][0];
            own[r][1] = sums[s][r][1];
          }
          const float* by = right + s * each_n * Params::tile_k + k * each_n;
          for (int c = 0; c < count; ++c) {
            const Vector b0 = *reinterpret_cast<const Vector*>(by + c * each_n);
            const Vector b1 = *reinterpret_cast<const Vector*>(by + c * each_n + lanes);
            KILN_UNROLL_ALL
            for (int r = 0; r < each_m; ++r) {
              own[r][0] += from[r][c] * b0;
              own[r][1] += from[r][c] * b1;
            }
          }
          KILN_UNROLL_ALL
          for (int r = 0; r < each_m; ++r) {
            sums[s][r][0] = own[r][0];
            sums[s][r][1] = own[r][1];
          }
        }
        k += count;
      }
      if (k0 + depth < a.depth) {
        __builtin_memcpy(so_far[i], sums, sizeof sums);
        continue;
      }
      for (int r = 0; r < each_m && i + r < Params::tile_m; ++r) {
        for (int s = 0; s < strips; ++s) {
          const auto* row = reinterpret_cast<const float*>(sums[s][r]);
          for (int j = 0; j < each_n; ++j) {
            const int column = column0 + s * each_n + j;
            if (store.inside(row0 + i + r, column))
              *store.address(row0 + i + r, column) = store.value(row0 + i + r, column, row[j]);
          }
        }
      }
    }
  }
}
