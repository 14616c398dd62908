#include "../gemm/gemm_blocks.h"
#include "../tiles/async.h"
#include "../tiles/mma.h"
#include "gemm_scaled.h"

using Inner = tiles::Mma<T, Sum, Params::tile_m, Params::tile_n, Params::tile_k, Params::each_m,
                         Params::each_n, k_of_a, k_of_b>;

extern "C" __global__ void KILN_LAUNCH_BOUNDS_gemm_scaled_mma
gemm_scaled_mma(Out* __restrict__ d, Sum* __restrict__ parts, const T* __restrict__ a,
                const T* __restrict__ b, const Out* __restrict__ c, const float* __restrict__ scale_a,
                const float* __restrict__ scale_b, const Params p) {
  gemm_block<tiles::AsyncCopy>(scaled<Inner>(scale_a, scale_b, p), d, parts, a, b, c, p);
}
