#include "gemm_packed.h"

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
      [&](int row, int column, const Sum* __restrict__ sums, int count, int, bool first, bool last) {
        Sum* __restrict__ line = so_far + (long long)row * p.n + column;
        tiles::finish_part<Packed::Of::each_n>(line, store, row, column, sums, count, first, last);
      });
}
