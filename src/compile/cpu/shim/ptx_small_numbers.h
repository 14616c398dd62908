// What `asm` with numbers of 16 and 8 bits becomes (specialize/ptx_small_numbers.cpp): registers hold bits.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

/// The number, or the pair, that a register's bits are.
template <class T, class Bits>
KILN_SHIM T kiln_ptx16(Bits bits) {
  static_assert(sizeof(T) == sizeof(Bits), "a register of the number's size");
  T number;
  __builtin_memcpy(&number, &bits, sizeof number);
  return number;
}
template <class Format>
KILN_SHIM unsigned short kiln_ptx16_bits(kiln::DeviceFloat<Format> number) {
  return number.bits;
}
template <class Format>
KILN_SHIM unsigned kiln_ptx16_bits(kiln::DevicePair<Format> pair) {
  return static_cast<unsigned>(pair.y.bits) << 16 | pair.x.bits;
}
/// Two numbers of 8 bits: the largest ones in place of those that are too large.
KILN_SHIM unsigned short kiln_ptx16_of_pair(float2 pair, __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float2_to_fp8x2(pair, __NV_SATFINITE, kind);
}
KILN_SHIM unsigned short kiln_ptx16_of_pair(__half2 pair, __nv_fp8_interpretation_t kind) {
  return __nv_cvt_halfraw2_to_fp8x2(pair, __NV_SATFINITE, kind);
}
KILN_SHIM __half2 kiln_ptx16_to_pair(unsigned short bits, __nv_fp8_interpretation_t kind) {
  return __nv_cvt_fp8x2_to_halfraw2(bits, kind);
}
