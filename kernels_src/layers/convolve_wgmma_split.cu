#include "convolve_boxes.h"

#include "../tiles/wgmma_split.h"

extern "C" __global__ void KILN_LAUNCH_BOUNDS_convolve_wgmma_split convolve_wgmma_split(
    T* __restrict__ y, const __grid_constant__ CUtensorMap x, const __grid_constant__ CUtensorMap w,
    const float* __restrict__ bias, const T* residual, const Params p) {
  convolve_boxes<tiles::WgmmaSplit<PixelTile, FilterTile, false> >(y, x, w, bias, residual, p, memory,
                                                                   int(Params::stages));
}
