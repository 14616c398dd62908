#include "gemm_blocks.h"

#include "../tiles/async.h"
#include "../tiles/fma.h"

extern "C" __global__ void KILN_LAUNCH_BOUNDS_gemm_fma_async
gemm_fma_async(Out* __restrict__ d, Sum* __restrict__ parts, const T* a, const T* b,
               const Out* c, const Params p) {
  gemm_block<tiles::AsyncCopy>(tiles::Fma<T, Sum, Params::tile_m, Params::tile_n, Params::tile_k,
                                          Params::each_m, Params::each_n, k_of_a, k_of_b>{},
                               d, parts, a, b, c, p);
}
