// OPERATION and ASYNC are the parameters: headers of an operation compile only where it runs.
#include "convolve_blocks.h"
#if ASYNC
#include "../tiles/async.h"
using Copy = tiles::AsyncCopy;
#else
using Copy = tiles::PlainCopy;
#endif
#if OPERATION == 0
#include "../tiles/fma.h"
#define OPERATION_OF_TILES tiles::Fma
#elif OPERATION == 1
#include "../tiles/mma.h"
#define OPERATION_OF_TILES tiles::Mma
#else
#include "../tiles/split.h"
#define OPERATION_OF_TILES tiles::Split
#endif

__device__ inline void convolve_tile(T* __restrict__ y, const T* __restrict__ x, const T* __restrict__ w,
                                     const float* __restrict__ bias, const T* __restrict__ residual,
                                     float* __restrict__ parts, int* __restrict__ arrived, const Params& p) {
  convolve_block<Copy, OPERATION_OF_TILES<T, float, Params::tile_m, Params::tile_n, Params::tile_k,
                                          Params::each_m, Params::each_n, true, true> >(
      y, x, w, bias, residual, parts, arrived, p);
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_convolve convolve(
    T* __restrict__ y, const T* __restrict__ x, const T* __restrict__ w, const float* __restrict__ bias,
    const T* __restrict__ residual, float* __restrict__ parts, int* __restrict__ arrived, const Params p) {
  convolve_tile(y, x, w, bias, residual, parts, arrived, p);
}
