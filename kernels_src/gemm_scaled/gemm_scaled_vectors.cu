#include "../gemm/gemm_packed.h"

// A part of the depth is one block of scales; between parts, sums are in `parts`.
extern "C" __global__ void gemm_scaled_vectors(Out* __restrict__ d, Sum* __restrict__ parts,
                                               Sum* __restrict__ panels, const Out* __restrict__ c,
                                               const float* __restrict__ scale_a,
                                               const float* __restrict__ scale_b, const Params p) {
  static_assert(Params::tile_k == 128 && 128 % Packed::Of::each_n == 0, "a block of scales");
  const tiles::TilePlace place = place_of_block(p);
  const auto store = epilogue(d, c, p);
  const int blocks = (p.k + 127) / 128;
  operands(panels, p).run(
      place.row * Params::tile_m, place.column * Params::tile_n, Params::tile_m, Params::tile_n,
      [&](int row, int column, const Sum* __restrict__ sums, int count, int k, bool first, bool last) {
        Sum* __restrict__ line = parts + (long long)row * p.n + column;
        const Sum scale =  // a strip's columns share those of B
            scale_a[(long long)(k / 128) * p.m + row] * scale_b[column / 128 * blocks + k / 128];
        const auto finish = [&](int n) {
          if (last) {
            for (int j = 0; j < n; ++j) {
              const Sum sum = first ? scale * sums[j] : line[j] + scale * sums[j];
              *store.address(row, column + j) = store.value(row, column + j, sum);
            }
          } else if (first) {
            for (int j = 0; j < n; ++j) line[j] = scale * sums[j];
          } else {
            for (int j = 0; j < n; ++j) line[j] += scale * sums[j];
          }
        };
        if (count == Packed::Of::each_n) {
          finish(Packed::Of::each_n);
        } else {
          finish(count);
        }
      });
}
