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
enum __nv_fp8_interpretation_t {
  __NV_E4M3,
  __NV_E5M2,
  __NV_E4M3_FNUZ,  // of AMD's CDNA 3: no infinity and no negative zero, whose bits are NaN
  __NV_E5M2_FNUZ
};

namespace kiln {

/// A number of AMD's formats, whose exponent has one more as its bias.
template <int Mantissa>
struct Fp8Fnuz {
  static constexpr int kMantissa = Mantissa;
  static constexpr int kBias = 1 << (6 - Mantissa);
  static constexpr unsigned kNan = 0x80, kLargest = 0x7f;
  unsigned char bits;

  Fp8Fnuz() = default;
  KILN_INLINE_ALWAYS Fp8Fnuz(double x) : bits(rounded(x, true)) {}
  KILN_INLINE_ALWAYS static Fp8Fnuz of_bits(unsigned char bits) {
    Fp8Fnuz result;
    result.bits = bits;
    return result;
  }
  KILN_INLINE_ALWAYS operator float() const {
    if (bits == kNan) return __builtin_nanf("");
    const int exponent = bits >> Mantissa & ((1 << (7 - Mantissa)) - 1);
    const int digits = bits & ((1 << Mantissa) - 1);
    const int whole = exponent == 0 ? digits : digits | 1 << Mantissa;
    const int power = (exponent == 0 ? 1 : exponent) - kBias - Mantissa;
    const float size =
        static_cast<float>(whole) * __builtin_bit_cast(float, static_cast<unsigned>(127 + power) << 23);
    return (bits & 0x80u) != 0 ? -size : size;
  }
  /// To the nearest, ties to even. Without `saturates` a number that is too large is NaN.
  KILN_INLINE_ALWAYS static unsigned char rounded(double x, bool saturates) {
    if (x != x) return kNan;
    const double size = __builtin_fabs(x);
    const auto word = __builtin_bit_cast(unsigned long long, size);
    const int exponent = static_cast<int>(word >> 52) - 1023;
    if (exponent > 1023)
      return saturates ? static_cast<unsigned char>((x < 0 ? 0x80u : 0u) | kLargest) : kNan;
    const int scale = exponent < 1 - kBias ? 1 - kBias : exponent;
    const auto power = static_cast<unsigned long long>(1023 + Mantissa - scale) << 52;
    const double digits = __builtin_rint(size * __builtin_bit_cast(double, power));
    const unsigned code =
        (static_cast<unsigned>(scale + kBias - 1) << Mantissa) + static_cast<unsigned>(digits);
    if (code > kLargest && !saturates) return kNan;
    if (code == 0) return 0;
    return static_cast<unsigned char>((x < 0 ? 0x80u : 0u) | (code > kLargest ? kLargest : code));
  }
};

/// Whether a format is one of AMD's.
template <class F>
struct IsFnuz {
  static constexpr bool kValue = false;
};
template <int Mantissa>
struct IsFnuz<Fp8Fnuz<Mantissa>> {
  static constexpr bool kValue = true;
};

}  // namespace kiln

KILN_SHIM __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturation,
                                                    __nv_fp8_interpretation_t kind) {
  if (kind == __NV_E4M3_FNUZ) return kiln::Fp8Fnuz<3>::rounded(x, saturation == __NV_SATFINITE);
  if (kind == __NV_E5M2_FNUZ) return kiln::Fp8Fnuz<2>::rounded(x, saturation == __NV_SATFINITE);
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
  const bool of_nvidia = kind == __NV_E4M3 || kind == __NV_E5M2;
  return x != x && of_nvidia
             ? 0x7fu
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
  if (kind == __NV_E4M3_FNUZ) return __half(static_cast<float>(kiln::Fp8Fnuz<3>::of_bits(x)));
  if (kind == __NV_E5M2_FNUZ) return __half(static_cast<float>(kiln::Fp8Fnuz<2>::of_bits(x)));
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
  static constexpr __nv_fp8_interpretation_t kind =
      static_cast<__nv_fp8_interpretation_t>((F::kMantissa == 3 ? 0 : 1) + (IsFnuz<F>::kValue ? 2 : 0));
  // As HIP calls it.
  static constexpr __nv_fp8_interpretation_t __default_interpret = kind;
  static constexpr __nv_saturation_t __default_saturation = __NV_SATFINITE;
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
using __nv_fp8_e4m3_fnuz = kiln::DeviceFp8<kiln::Fp8Fnuz<3>>;
using __nv_fp8_e5m2_fnuz = kiln::DeviceFp8<kiln::Fp8Fnuz<2>>;
using __nv_fp8x2_e4m3_fnuz = kiln::DeviceFp8x2<kiln::Fp8Fnuz<3>>;
using __nv_fp8x2_e5m2_fnuz = kiln::DeviceFp8x2<kiln::Fp8Fnuz<2>>;
using __nv_fp8x4_e4m3_fnuz = kiln::DeviceFp8x4<kiln::Fp8Fnuz<3>>;
using __nv_fp8x4_e5m2_fnuz = kiln::DeviceFp8x4<kiln::Fp8Fnuz<2>>;
