#include "gemm_boxes.h"

#include "../tiles/wgmma.h"

extern "C" __global__ void KILN_LAUNCH_BOUNDS_gemm_wgmma
gemm_wgmma(Out* __restrict__ d, Sum* __restrict__ parts, const __grid_constant__ CUtensorMap a,
           const __grid_constant__ CUtensorMap b, const Out* __restrict__ c, const Params p) {
  gemm_boxes(tiles::Wgmma<T, Params::tile_m, Params::tile_n, Params::each_m, k_of_a, k_of_b>{}, d, parts, a,
             b, c, p);
}
