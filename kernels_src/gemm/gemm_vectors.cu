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

template <class To>
__device__ inline Sum* sums_in(To*, Sum* parts) {
  return parts;
}
__device__ inline Sum* sums_in(Sum* d, Sum*) {
  return d;
}

// Between the parts of the depth, sums are in d where it is of their type.
extern "C" __global__ void gemm_vectors(Out* __restrict__ d, Sum* __restrict__ parts, Sum* __restrict__ panels,
                                        const Out* __restrict__ c, const Params p) {
  const tiles::TilePlace place = place_of_block(p);
  const auto store = epilogue(d, c, p);
  Sum* so_far = sums_in(d, parts);
  operands(panels, p).run(
      place.row * Params::tile_m, place.column * Params::tile_n, Params::tile_m, Params::tile_n,
      [&](int row, int column, const Sum* __restrict__ sums, int count, bool first, bool last) {
        Sum* __restrict__ line = so_far + (long long)row * p.n + column;
        const auto finish = [&](int n) {
          if (last) {
            for (int j = 0; j < n; ++j) {
              const Sum sum = first ? sums[j] : line[j] + sums[j];
              *store.address(row, column + j) = store.value(row, column + j, sum);
            }
          } else if (first) {
            for (int j = 0; j < n; ++j) line[j] = sums[j];
          } else {
            for (int j = 0; j < n; ++j) line[j] += sums[j];
          }
        };
        if (count == Packed::Of::each_n) {
          finish(Packed::Of::each_n);
        } else {
          finish(count);
        }
      });
}
