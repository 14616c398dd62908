// cuda_bf16.h for a host compiler.
#pragma once

#include <cuda_fp16.h>
#include "kiln/small_float_operators.h"

using __nv_bfloat16 = kiln::DeviceFloat<kiln::Bfloat16Format>;
using nv_bfloat16 = __nv_bfloat16;
using __nv_bfloat162 = kiln::DevicePair<kiln::Bfloat16Format>;
using nv_bfloat162 = __nv_bfloat162;
using __nv_bfloat16_raw = kiln::SmallFloatRaw;
using __nv_bfloat162_raw = kiln::SmallFloatPairRaw;
#ifdef KILN_BACKEND_HIP  // hip/hip_bf16.h; elsewhere its words are CUDA's (specialize/hip_words.h)
using __hip_bfloat16 = __nv_bfloat16;
using __hip_bfloat162 = __nv_bfloat162;
#endif

KILN_SMALL_FLOAT_TYPE(bfloat16, __nv_bfloat16, __nv_bfloat162)

/// A name inside CUDA's header, which programs use.
KILN_SHIM float __internal_bfloat162float(unsigned short bits) {
  return static_cast<float>(__nv_bfloat16(__nv_bfloat16_raw{bits}));
}

#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7f7f)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80)
