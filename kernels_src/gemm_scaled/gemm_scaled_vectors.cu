#include "../gemm/gemm.h"
#include "../tiles/cpu.h"

// A part of the depth is one block of scales; between parts, sums are in `parts`.
extern "C" __global__ void gemm_scaled_vectors(Out* __restrict__ d, Sum* __restrict__ parts,
                                               const T* __restrict__ a, const T* __restrict__ b,
                                               const Out* __restrict__ c, const float* __restrict__ scale_a,
                                               const float* __restrict__ scale_b, const Params p) {
  static_assert(Params::tile_k == 128, "a block of scales");
  __shared__ tiles::Vectors<Sum, Params::tile_m, Params::tile_n, Params::tile_k, Params::each_m> panels;
  const tiles::TilePlace place = place_of_block(p);
  const auto store = epilogue(d, c, p);
  const int blocks = (p.k + 127) / 128;
  panels.run(source_a(a, p), source_b(b, p), place.row * Params::tile_m, place.column * Params::tile_n, 0,
             p.k, [&](int row, int column, const Sum* sums, int count, int k, bool first, bool last) {
               Sum* line = parts + (long long)row * p.n + column;
               const float left = scale_a[(long long)(k / 128) * p.m + row];
               for (int j = 0; j < count; ++j) {
                 const Sum scaled = left * scale_b[(column + j) / 128 * blocks + k / 128] * sums[j];
                 const Sum sum = first ? scaled : line[j] + scaled;
                 if (last) {
                   tiles::store_one(store, row, column + j, sum);
                 } else {
                   line[j] = sum;
                 }
               }
             });
}
