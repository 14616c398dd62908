#include "stencil7_march.h"

// Blocks start in the order of their indices, x first.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_laplacian_march laplacian_march(T* __restrict__ f,
                                                                              const T* __restrict__ u,
                                                                              const Params p) {
  Place place{int(blockIdx.x), int(blockIdx.y), int(blockIdx.z)};
  const unsigned all = rows_of_blocks(p);
  if (unsigned(p.strip) < all) {
    place = place_in_column(p, blockIdx.z * all + blockIdx.y, 0, all);
    place.column = int(blockIdx.x);
  }
  march(f, u, p, place);
}
