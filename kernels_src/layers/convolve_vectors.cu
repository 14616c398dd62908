#include "layers.h"

#include "../tiles/cpu.h"

// For a CPU. Filters are packed once (pack_filters): [strip of 64 filters][depth][64]. Pixels are not: channels
// of a pixel are neighbours along the depth and are broadcast from x itself. Sums of each_m pixels by some
// vectors of filters stay in registers for tile_k of the depth, between such parts in `so_far`.

constexpr int strip = 64;  // as in pack_filters
constexpr int each_m = Params::each_m;
constexpr int lanes = tiles::Strips<float, each_m>::lanes;
using Vector = tiles::Strips<float, each_m>::Vector;
constexpr int registers = lanes == 16 ? 32 : 16;
constexpr int vectors_that_fit = (registers - 2) / (each_m + 1);
constexpr int vectors = vectors_that_fit >= 4 ? 4 : vectors_that_fit >= 2 ? 2 : 1;

/// A pixel of y: where its filter begins in x, which may be outside.
struct Origin {
  long long at;
  int y, x;
};

/// The filter's elements that are one piece of memory: channels of a tap or, without padding, of all taps of
/// a row.
struct Pieces {
  int width, across;  // elements of a piece, pieces of a filter's row
  long long right, down;

  explicit Pieces(const Params& p) {
    const bool lines = p.padding == 0 && p.dilation == 1;
    width = lines ? p.filter_w * p.c : p.c;
    across = lines ? 1 : p.filter_w;
    right = (long long)p.dilation * p.c;
    down = (long long)p.dilation * p.w * p.c;
  }
};

using Copies = float[each_m][Params::tile_k];

inline const float* in_float(const float* from, int, float*) {
  return from;
}
template <class E>
inline const float* in_float(const E* from, int count, float* copy) {
  for (int i = 0; i < count; ++i) copy[i] = float(from[i]);
  return copy;
}

/// Adds the products of elements k0 to k0 + depth of the filters to `sums`, for each_m pixels and `Count`
/// vectors of filters from `by` on.
template <int Count>
inline void add_products(Vector (&sums)[each_m][Count], const T* __restrict__ x, const Origin* origins,
                         const float* __restrict__ by, int k0, int depth, const Pieces& pieces,
                         const float* zeros, Copies& copies, const Params& p) {
  Vector own[each_m][Count];
  KILN_UNROLL_ALL
  for (int r = 0; r < each_m; ++r) {
    KILN_UNROLL_ALL
    for (int v = 0; v < Count; ++v) own[r][v] = sums[r][v];
  }
  int begin = k0 % pieces.width;
  int column = k0 / pieces.width % pieces.across;
  int row = k0 / pieces.width / pieces.across;
  for (int left = depth; left > 0;) {
    const int count = pieces.width - begin < left ? pieces.width - begin : left;
    const int y = row * p.dilation;
    const int over = column * p.dilation;
    const long long offset = row * pieces.down + column * pieces.right + begin;
    const float* from[each_m];
    KILN_UNROLL_ALL
    for (int r = 0; r < each_m; ++r) {
      const bool inside =
          unsigned(origins[r].y + y) < unsigned(p.h) && unsigned(origins[r].x + over) < unsigned(p.w);
      from[r] = inside ? in_float(x + origins[r].at + offset, count, copies[r]) : zeros;
    }
    for (int c = 0; c < count; ++c) {
      Vector b[Count];
      KILN_UNROLL_ALL
      for (int v = 0; v < Count; ++v) b[v] = *reinterpret_cast<const Vector*>(by + v * lanes);
      KILN_UNROLL_ALL
      for (int r = 0; r < each_m; ++r) {
        KILN_UNROLL_ALL
        for (int v = 0; v < Count; ++v) own[r][v] += from[r][c] * b[v];
      }
      by += strip;
    }
    left -= count;
    begin += count;
    if (begin == pieces.width) {
      begin = 0;
      if (++column == pieces.across) {
        column = 0;
        ++row;
      }
    }
  }
  KILN_UNROLL_ALL
  for (int r = 0; r < each_m; ++r) {
    KILN_UNROLL_ALL
    for (int v = 0; v < Count; ++v) sums[r][v] = own[r][v];
  }
}

/// `count` filters from `column` on of a pixel.
template <int Count>
inline void store_row(const Finish& store, int row, int column, const float* __restrict__ sums) {
  T* __restrict__ to = store.address(row, column);
  KILN_SIMD
  for (int j = 0; j < Count; ++j) to[j] = store.value(row, column + j, sums[j]);
}

extern "C" __global__ void convolve_vectors(T* __restrict__ y, const T* __restrict__ x,
                                            const float* __restrict__ packed, const float* __restrict__ bias,
                                            const T* __restrict__ residual, const Params p) {
  alignas(64) __shared__ float so_far[Params::tile_m * Params::tile_n];
  __shared__ Origin origins[Params::tile_m];
  __shared__ Copies copies;
  __shared__ float zeros[Params::tile_k];
  const int pixels = p.batch * p.out_h * p.out_w;
  const int depth = p.filter_h * p.filter_w * p.c;
  const tiles::TilePlace place = tiles::tile_place(int(blockIdx.x), (pixels - 1) / Params::tile_m + 1,
                                                   (p.filters - 1) / Params::tile_n + 1, p.walk);
  const int row0 = place.row * Params::tile_m;
  const int column0 = place.column * Params::tile_n;
  const int rows = pixels - row0 < Params::tile_m ? pixels - row0 : Params::tile_m;
  const int columns = p.filters - column0 < Params::tile_n ? p.filters - column0 : Params::tile_n;
  for (int r = 0; r < Params::tile_m; ++r) {
    const int row = r < rows ? row0 + r : pixels - 1;
    const int image = row / (p.out_h * p.out_w);
    const int line = row / p.out_w % p.out_h * p.stride - p.padding;
    const int across = row % p.out_w * p.stride - p.padding;
    origins[r] = {(((long long)image * p.h + line) * p.w + across) * p.c, line, across};
  }
  for (float& zero : zeros) zero = 0;
  const Finish store = finish(y, residual, bias, p);
  const Pieces pieces(p);
  constexpr int width = vectors * lanes;
  for (int k = 0; k < depth; k += Params::tile_k) {
    const int part = depth - k < Params::tile_k ? depth - k : Params::tile_k;
    for (int j = 0; j < columns; j += width) {
      const int column = column0 + j;
      const float* by = packed + (long long)(column / strip) * strip * depth + (long long)k * strip + column % strip;
      for (int i = 0; i < rows; i += each_m) {
        Vector sums[each_m][vectors] = {};
        auto* kept = reinterpret_cast<Vector(*)[vectors]>(so_far + i * Params::tile_n + j * each_m);
        if (k > 0) __builtin_memcpy(sums, kept, sizeof sums);
        add_products<vectors>(sums, x, origins + i, by, k, part, pieces, zeros, copies, p);
        if (k + part < depth) {
          __builtin_memcpy(kept, sums, sizeof sums);
          continue;
        }
        for (int r = 0; r < each_m && i + r < rows; ++r) {
          const auto* line = reinterpret_cast<const float*>(sums[r]);
          if (columns - j >= width) {
            store_row<width>(store, row0 + i + r, column, line);
          } else {
            for (int e = 0; e < columns - j; ++e) store_row<1>(store, row0 + i + r, column + e, line + e);
          }
        }
      }
    }
  }
}
