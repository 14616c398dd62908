#include "gemm_boxes.h"

#include "../tiles/fma_boxes.h"

extern "C" __global__ void KILN_LAUNCH_BOUNDS_gemm_fma_boxes
gemm_fma_boxes(Out* __restrict__ d, Sum* parts, int* arrived, const __grid_constant__ CUtensorMap a,
               const __grid_constant__ CUtensorMap b, const Out* c, const Params p) {
  using Operation =
      tiles::FmaBoxes<tiles::Swizzled<T, Params::tile_m, k_of_a>, tiles::Swizzled<T, Params::tile_n, k_of_b>,
                      Params::each_m, Params::each_n>;
  gemm_boxes(Operation{}, d, parts, arrived, a, b, c, p);
}
