// cuda_fp16.h for a host compiler.
#pragma once

#include "kiln/small_float_operators.h"

using __half = kiln::Half;
using half = __half;
using __half2 = kiln::SmallFloatPair<kiln::HalfFormat>;
using half2 = __half2;

KILN_SMALL_FLOAT_CONVERSIONS(half, __half, __half2)

KILN_SHIM __half2 __halves2half2(__half a, __half b) {
  return {a, b};
}
KILN_SHIM __half2 make_half2(__half a, __half b) {
  return {a, b};
}
KILN_SHIM unsigned short __half_as_ushort(__half a) {
  return a.bits;
}
KILN_SHIM __half __ushort_as_half(unsigned short bits) {
  return __half::of_bits(bits);
}
