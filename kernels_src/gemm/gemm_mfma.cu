#include "gemm_blocks.h"

#include "../tiles/mfma.h"

extern "C" __global__ void KILN_LAUNCH_BOUNDS_gemm_mfma gemm_mfma(Out* __restrict__ d,
                                                                  Sum* __restrict__ parts,
                                                                  const T* __restrict__ a,
                                                                  const T* __restrict__ b,
                                                                  const Out* __restrict__ c, const Params p) {
  gemm_block<tiles::PlainCopy>(tiles::Mfma<T, Sum, Params::tile_m, Params::tile_n, Params::tile_k,
                                           Params::each_m, Params::each_n, k_of_a, k_of_b>{},
                               d, parts, a, b, c, p);
}
