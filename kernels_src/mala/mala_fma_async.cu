#include "mala_blocks.h"

#include "../tiles/async.h"

extern "C" __global__ void KILN_LAUNCH_BOUNDS_mala_fma_async mala_fma_async(
    T* __restrict__ y, const T* __restrict__ x, const unsigned* __restrict__ packed, const Params p) {
  mala_block<tiles::AsyncCopy>(y, x, packed, p);
}
