#include "conv2d_boxes.h"

#include "../tiles/fma_boxes.h"

extern "C" __global__ void KILN_LAUNCH_BOUNDS_conv2d_fma_boxes
conv2d_fma_boxes(T* __restrict__ y, const __grid_constant__ CUtensorMap x,
                 const __grid_constant__ CUtensorMap w, const Sum* bias, const Params p) {
  conv2d_boxes<false>(tiles::FmaBoxes<PixelTile, FilterTile, Params::each_m, Params::each_n>{}, y, x, w, bias,
                      p);
}
