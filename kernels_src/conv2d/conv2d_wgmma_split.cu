#include "conv2d_boxes.h"

#include "../tiles/wgmma_split.h"

extern "C" __global__ void KILN_LAUNCH_BOUNDS_conv2d_wgmma_split
conv2d_wgmma_split(T* __restrict__ y, const __grid_constant__ CUtensorMap x,
                   const __grid_constant__ CUtensorMap w, const Sum* bias, const Params p) {
  conv2d_boxes<false>(tiles::WgmmaSplit<PixelTile, FilterTile, false>(memory, Params::stages), y, x, w, bias,
                      p);
}
