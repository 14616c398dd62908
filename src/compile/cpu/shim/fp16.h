// cuda_fp16.h for a host compiler.
#pragma once

#include "kiln/small_float_operators.h"

using __half = kiln::DeviceFloat<kiln::HalfFormat>;
using half = __half;
using __half2 = kiln::DevicePair<kiln::HalfFormat>;
using half2 = __half2;
using __half_raw = kiln::SmallFloatRaw;
using __half2_raw = kiln::SmallFloatPairRaw;
using __nv_half = __half;
using __nv_half2 = __half2;
using nv_half = __half;
using nv_half2 = __half2;

KILN_SMALL_FLOAT_TYPE(half, __half, __half2)

#define CUDART_INF_FP16 __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)
