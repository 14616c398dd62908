// cuda_bf16.h for a host compiler.
#pragma once

#include "kiln/small_float_operators.h"

using __nv_bfloat16 = kiln::Bfloat16;
using nv_bfloat16 = __nv_bfloat16;
using __nv_bfloat162 = kiln::SmallFloatPair<kiln::Bfloat16Format>;
using nv_bfloat162 = __nv_bfloat162;

KILN_SMALL_FLOAT_CONVERSIONS(bfloat16, __nv_bfloat16, __nv_bfloat162)

KILN_SHIM __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
  return {a, b};
}
KILN_SHIM unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) {
  return a.bits;
}
KILN_SHIM __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  return __nv_bfloat16::of_bits(bits);
}
