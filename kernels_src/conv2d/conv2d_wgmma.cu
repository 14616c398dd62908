#include "conv2d_boxes.h"

extern "C" __global__ void KILN_LAUNCH_BOUNDS_conv2d_wgmma
conv2d_wgmma(T* __restrict__ y, const __grid_constant__ CUtensorMap x, const __grid_constant__ CUtensorMap w,
             const Sum* bias, const Params p) {
  conv2d_boxes(tiles::Wgmma<PixelTile, FilterTile, Params::each_m, Params::teams>{}, y, x, w, bias, p);
}
