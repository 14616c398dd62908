#include "convolve_boxes.h"

extern "C" __global__ void KILN_LAUNCH_BOUNDS_convolve_wgmma convolve_wgmma(
    T* __restrict__ y, const __grid_constant__ CUtensorMap x, const __grid_constant__ CUtensorMap w,
    const float* __restrict__ bias, const T* residual, const Params p) {
  convolve_boxes<tiles::Wgmma<PixelTile, FilterTile, Params::each_m> >(y, x, w, bias, residual, p);
}
