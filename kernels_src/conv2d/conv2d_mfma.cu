#include "conv2d_blocks.h"

#include "../tiles/mfma.h"

extern "C" __global__ void KILN_LAUNCH_BOUNDS_conv2d_mfma conv2d_mfma(T* __restrict__ y,
                                                                    const T* __restrict__ x,
                                                                    const T* __restrict__ w,
                                                                    const Sum* __restrict__ bias,
                                                                    const Params p) {
  conv2d_block<tiles::PlainCopy, tiles::Mfma<T, Sum, Params::tile_m, Params::tile_n, Params::tile_k,
                                            Params::each_m, Params::each_n, true, true>>(y, x, w, bias, p);
}
