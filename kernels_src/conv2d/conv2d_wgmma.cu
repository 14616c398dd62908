#include "conv2d_boxes.h"

extern "C" __global__ void KILN_LAUNCH_BOUNDS_conv2d_wgmma conv2d_wgmma(T* __restrict__ y,
                                                                        const __grid_constant__ CUtensorMap x,
                                                                        const __grid_constant__ CUtensorMap w,
                                                                        const Sum* bias, const Params p) {
  using Operation = tiles::Wgmma<PixelTile, FilterTile, Params::each_m, Params::teams>;
  if constexpr (Params::splits > 1) {
    conv2d_boxes<false>(Operation{}, y, x, w, bias, p);
  } else {
    const int columns = p.filters / p.groups;
    conv2d_boxes<true>(WithBias<Operation>({}, bias + int(blockIdx.y) * columns, columns), y, x, w, bias, p);
  }
}
