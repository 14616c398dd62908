#include "gemm_boxes.h"

#include "../tiles/wgmma_split.h"

// Operand B of the instructions lies along the depth: b where it is transposed, else a, and the operands change
// places.
template <bool Turned>
struct Operands {
  using A = tiles::Swizzled<float, Params::tile_n, false>;
  using B = tiles::Swizzled<float, Params::tile_m, true>;
};
template <>
struct Operands<false> {
  using A = tiles::Swizzled<float, Params::tile_m, k_of_a>;
  using B = tiles::Swizzled<float, Params::tile_n, true>;
};

extern "C" __global__ void KILN_LAUNCH_BOUNDS_gemm_wgmma_split
gemm_wgmma_split(Out* __restrict__ d, Sum* parts, int* arrived, const __grid_constant__ CUtensorMap a,
           const __grid_constant__ CUtensorMap b, const Out* c, const Params p) {
  using Chosen = Operands<!k_of_b>;
  gemm_boxes(tiles::WgmmaSplit<Chosen::A, Chosen::B, !k_of_b>(memory, Params::stages), d, parts, arrived, a, b, c, p);
}
