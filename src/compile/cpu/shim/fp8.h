// cuda_fp8.h for a host compiler: types that only convert.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
/// What becomes of numbers that are too large, and of infinities: NaN of E4M3 and infinity of E5M2, or the
/// largest number.
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

KILN_SHIM __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturation,
                                                    __nv_fp8_interpretation_t kind) {
  const double size = __builtin_fabs(x);
  const bool four = kind == __NV_E4M3;
  if (x != x) return four ? 0x7fu : 0x7eu;
  const unsigned bits = four ? kiln::Fp8E4m3(x).bits : kiln::Fp8E5m2(x).bits;
  // From halfway to the next number that the format would have; 464 is even.
  const bool large = four ? size > 464.0 : size >= 61440.0;
  if (saturation == __NV_SATFINITE || !large) return static_cast<__nv_fp8_storage_t>(bits);
  return static_cast<__nv_fp8_storage_t>((bits & 0x80u) | (four ? 0x7fu : 0x7cu));
}
KILN_SHIM __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturation,
                                                   __nv_fp8_interpretation_t kind) {
  return x != x ? 0x7fu
                : __nv_cvt_double_to_fp8(x, saturation, kind);  // NaN as the GPU's instruction writes it
}
KILN_SHIM __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturation,
                                                     __nv_fp8_interpretation_t kind) {
  return __nv_cvt_double_to_fp8(static_cast<float>(__half(x)), saturation, kind);
}
KILN_SHIM __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturation,
                                                         __nv_fp8_interpretation_t kind) {
  return __nv_cvt_double_to_fp8(static_cast<float>(__nv_bfloat16(x)), saturation, kind);
}
KILN_SHIM __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 x, __nv_saturation_t saturation,
                                                         __nv_fp8_interpretation_t kind) {
  return static_cast<__nv_fp8x2_storage_t>(__nv_cvt_double_to_fp8(x.x, saturation, kind) |
                                           __nv_cvt_double_to_fp8(x.y, saturation, kind) << 8);
}
KILN_SHIM __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturation,
                                                        __nv_fp8_interpretation_t kind) {
  return static_cast<__nv_fp8x2_storage_t>(__nv_cvt_float_to_fp8(x.x, saturation, kind) |
                                           __nv_cvt_float_to_fp8(x.y, saturation, kind) << 8);
}
KILN_SHIM __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t saturation,
                                                          __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float2_to_fp8x2(__half22float2(x), saturation, kind);
}
KILN_SHIM __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw x,
                                                              __nv_saturation_t saturation,
                                                              __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(x), saturation, kind);
}
KILN_SHIM __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  const float value = kind == __NV_E4M3 ? static_cast<float>(kiln::Fp8E4m3::of_bits(x))
                                        : static_cast<float>(kiln::Fp8E5m2::of_bits(x));
  return __half(value);
}
KILN_SHIM __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t kind) {
  const auto low = static_cast<__nv_fp8_storage_t>(x & 0xffu), high = static_cast<__nv_fp8_storage_t>(x >> 8);
  return __halves2half2(__nv_cvt_fp8_to_halfraw(low, kind), __nv_cvt_fp8_to_halfraw(high, kind));
}

namespace kiln {

/// One number, of SmallFloat `F`.
template <class F>
struct DeviceFp8 {
  static constexpr __nv_fp8_interpretation_t kind = F::kMantissa == 3 ? __NV_E4M3 : __NV_E5M2;
  __nv_fp8_storage_t __x;
  DeviceFp8() = default;
  KILN_INLINE_ALWAYS DeviceFp8(float x) : __x(F(x).bits) {}
  KILN_INLINE_ALWAYS DeviceFp8(double x) : __x(F(x).bits) {}
  template <class I>
  KILN_INLINE_ALWAYS explicit DeviceFp8(I integer) : DeviceFp8(static_cast<double>(integer)) {}
  KILN_INLINE_ALWAYS DeviceFp8(__half x) : DeviceFp8(static_cast<float>(x)) {}
  KILN_INLINE_ALWAYS DeviceFp8(__nv_bfloat16 x) : DeviceFp8(static_cast<float>(x)) {}
  KILN_INLINE_ALWAYS operator float() const { return F::of_bits(__x); }
  KILN_INLINE_ALWAYS explicit operator __half() const { return static_cast<float>(*this); }
  KILN_INLINE_ALWAYS explicit operator __nv_bfloat16() const { return static_cast<float>(*this); }
};

/// Two numbers, the first in the low bits; four.
template <class F>
struct DeviceFp8x2 {
  static constexpr __nv_fp8_interpretation_t kind = DeviceFp8<F>::kind;
  __nv_fp8x2_storage_t __x;
  DeviceFp8x2() = default;
  KILN_INLINE_ALWAYS explicit DeviceFp8x2(double2 x)
      : __x(__nv_cvt_double2_to_fp8x2(x, __NV_SATFINITE, kind)) {}
  KILN_INLINE_ALWAYS explicit DeviceFp8x2(float2 x)
      : __x(__nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, kind)) {}
  KILN_INLINE_ALWAYS explicit DeviceFp8x2(__half2 x) : DeviceFp8x2(__half22float2(x)) {}
  KILN_INLINE_ALWAYS explicit DeviceFp8x2(__nv_bfloat162 x) : DeviceFp8x2(__bfloat1622float2(x)) {}
  KILN_INLINE_ALWAYS explicit operator float2() const {
    return __half22float2(__nv_cvt_fp8x2_to_halfraw2(__x, kind));
  }
  KILN_INLINE_ALWAYS explicit operator __half2() const { return __nv_cvt_fp8x2_to_halfraw2(__x, kind); }
};
template <class F>
struct DeviceFp8x4 {
  static constexpr __nv_fp8_interpretation_t kind = DeviceFp8<F>::kind;
  __nv_fp8x4_storage_t __x;
  DeviceFp8x4() = default;
  KILN_INLINE_ALWAYS explicit DeviceFp8x4(__half2 low, __half2 high)
      : DeviceFp8x4(of(__half22float2(low), __half22float2(high))) {}
  KILN_INLINE_ALWAYS explicit DeviceFp8x4(__nv_bfloat162 low, __nv_bfloat162 high)
      : DeviceFp8x4(of(__bfloat1622float2(low), __bfloat1622float2(high))) {}
  KILN_INLINE_ALWAYS explicit DeviceFp8x4(double4 x)
      : __x(__nv_cvt_double2_to_fp8x2({x.x, x.y}, __NV_SATFINITE, kind) |
            static_cast<unsigned>(__nv_cvt_double2_to_fp8x2({x.z, x.w}, __NV_SATFINITE, kind)) << 16) {}
  KILN_INLINE_ALWAYS explicit DeviceFp8x4(float4 x)
      : __x(__nv_cvt_float2_to_fp8x2({x.x, x.y}, __NV_SATFINITE, kind) |
            static_cast<unsigned>(__nv_cvt_float2_to_fp8x2({x.z, x.w}, __NV_SATFINITE, kind)) << 16) {}
  KILN_INLINE_ALWAYS explicit operator float4() const {
    const float2 low =
        __half22float2(__nv_cvt_fp8x2_to_halfraw2(static_cast<__nv_fp8x2_storage_t>(__x), kind));
    const float2 high =
        __half22float2(__nv_cvt_fp8x2_to_halfraw2(static_cast<__nv_fp8x2_storage_t>(__x >> 16), kind));
    return {low.x, low.y, high.x, high.y};
  }

 private:
  KILN_INLINE_ALWAYS static float4 of(float2 low, float2 high) { return {low.x, low.y, high.x, high.y}; }
};

}  // namespace kiln

using __nv_fp8_e4m3 = kiln::DeviceFp8<kiln::Fp8E4m3>;
using __nv_fp8_e5m2 = kiln::DeviceFp8<kiln::Fp8E5m2>;
using __nv_fp8x2_e4m3 = kiln::DeviceFp8x2<kiln::Fp8E4m3>;
using __nv_fp8x2_e5m2 = kiln::DeviceFp8x2<kiln::Fp8E5m2>;
using __nv_fp8x4_e4m3 = kiln::DeviceFp8x4<kiln::Fp8E4m3>;
using __nv_fp8x4_e5m2 = kiln::DeviceFp8x4<kiln::Fp8E5m2>;
