// The CUDA dialect for a host compiler: the sign bit as a number, 0 or 1. glibc's functions of these names
// give 128 for it; their header comes first, so that it is not read with the macros.
#pragma once

#include <cmath>

KILN_SHIM int kiln_sign_bit(double x) {
  return __builtin_signbit(x) ? 1 : 0;
}
KILN_SHIM int kiln_sign_bitf(float x) {
  return __builtin_signbit(x) ? 1 : 0;
}

#define __signbit kiln_sign_bit
#define __signbitf kiln_sign_bitf
