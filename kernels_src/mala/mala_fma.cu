#include "mala_blocks.h"

extern "C" __global__ void KILN_LAUNCH_BOUNDS_mala_fma mala_fma(T* __restrict__ y, const T* __restrict__ x,
                                                                const unsigned* __restrict__ packed,
                                                                const Params p) {
  mala_block<tiles::PlainCopy>(y, x, packed, p);
}
