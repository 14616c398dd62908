#include "gemm.h"

#include "../tiles/cpu.h"

template <class To>
__device__ inline Sum* sums_in(To*, Sum* parts) {
  return parts;
}
__device__ inline Sum* sums_in(Sum* d, Sum*) {
  return d;
}

// Between the parts of the depth, sums are in d where it is of their type.
extern "C" __global__ void gemm_vectors(Out* __restrict__ d, Sum* __restrict__ parts, const T* __restrict__ a,
                                        const T* __restrict__ b, const Out* __restrict__ c, const Params p) {
  __shared__ tiles::Vectors<Sum, Params::tile_m, Params::tile_n, Params::tile_k, Params::each_m> panels;
  const tiles::TilePlace place = place_of_block(p);
  const auto store = epilogue(d, c, p);
  Sum* so_far = sums_in(d, parts);
  panels.run(source_a(a, p), source_b(b, p), place.row * Params::tile_m, place.column * Params::tile_n, 0,
             p.k, [&](int row, int column, const Sum* sums, int count, int, bool first, bool last) {
               Sum* line = so_far + (long long)row * p.n + column;
               for (int j = 0; j < count; ++j) {
                 const Sum sum = first ? sums[j] : line[j] + sums[j];
                 if (last) {
                   tiles::store_one(store, row, column + j, sum);
                 } else {
                   line[j] = sum;
                 }
               }
             });
}
