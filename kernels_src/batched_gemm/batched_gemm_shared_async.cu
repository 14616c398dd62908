#include "batched_gemm_shared.h"

#include "../tiles/async.h"

extern "C" __global__ void KILN_LAUNCH_BOUNDS_batched_gemm_shared_async
batched_gemm_shared_async(T* __restrict__ d, const T* __restrict__ a, const T* __restrict__ b,
                          const T* __restrict__ c, const Params p) {
  multiply_in_shared<tiles::AsyncCopy>(d, a, b, c, p);
}
