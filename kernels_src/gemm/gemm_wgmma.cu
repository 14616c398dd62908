#include "gemm_boxes.h"

#include "../tiles/wgmma.h"

// The operation for an element's type and the orders of both operands.
template <class E, bool KOfA, bool KOfB>
struct Chosen {
  using Operation = tiles::Wgmma<tiles::Swizzled<E, Params::tile_m, KOfA>,
                                 tiles::Swizzled<E, Params::tile_n, KOfB>, Params::each_m>;
};
template <>
struct Chosen<float, true, false> {
  using Operation = tiles::WgmmaOfRegisters<Params::tile_n, Params::tile_m, true>;
};
template <>
struct Chosen<float, false, true> {
  using Operation = tiles::WgmmaOfRegisters<Params::tile_m, Params::tile_n, false>;
};

extern "C" __global__ void KILN_LAUNCH_BOUNDS_gemm_wgmma
gemm_wgmma(Out* __restrict__ d, Sum* parts, int* arrived, const __grid_constant__ CUtensorMap a,
           const __grid_constant__ CUtensorMap b, const Out* c, const Params p) {
  gemm_boxes<true>(typename Chosen<T, k_of_a, k_of_b>::Operation{}, d, parts, arrived, a, b, c, p);
}
