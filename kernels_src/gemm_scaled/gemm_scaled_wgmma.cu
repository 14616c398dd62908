#include "../gemm/gemm_boxes.h"
#include "../tiles/wgmma.h"
#include "gemm_scaled.h"

using Inner = tiles::Wgmma<tiles::Swizzled<T, Params::tile_m, k_of_a>,
                           tiles::Swizzled<T, Params::tile_n, k_of_b>, Params::each_m>;

extern "C" __global__ void KILN_LAUNCH_BOUNDS_gemm_scaled_wgmma
gemm_scaled_wgmma(Out* __restrict__ d, Sum* parts, int* arrived, const __grid_constant__ CUtensorMap a,
                  const __grid_constant__ CUtensorMap b, const Out* c,
                  const float* scale_a, const float* scale_b, const Params p) {
  constexpr int sets = Params::tile_m <= 128 ? 2 : 1;  // three warpgroups have no registers for two
  gemm_boxes<true>(scaled<Inner, sets, 4>(scale_a, scale_b, p), d, parts, arrived, a, b, c, p);
}
