#include "batched_gemm_shared.h"

extern "C" __global__ void KILN_LAUNCH_BOUNDS_batched_gemm_shared batched_gemm_shared(T* __restrict__ d,
                                                                                      const T* __restrict__ a,
                                                                                      const T* __restrict__ b,
                                                                                      const T* __restrict__ c,
                                                                                      const Params p) {
  multiply_in_shared<tiles::PlainCopy>(d, a, b, c, p);
}
