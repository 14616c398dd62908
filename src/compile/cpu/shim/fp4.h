// cuda_fp4.h and cuda_fp6.h for a host compiler: types that only convert.
#pragma once

#include <cuda_fp8.h>

typedef __nv_fp8_storage_t __nv_fp4_storage_t;
typedef __nv_fp8_storage_t __nv_fp4x2_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp4x4_storage_t;
typedef __nv_fp8_storage_t __nv_fp6_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp6x2_storage_t;
typedef __nv_fp8x4_storage_t __nv_fp6x4_storage_t;
enum __nv_fp4_interpretation_t { __NV_E2M1 };
enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 };
#ifndef KILN_ROUND_MODE
#define KILN_ROUND_MODE
enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };
#endif

namespace kiln {

/// A format of 4 or 6 bits, without infinities and NaN: what is too large becomes the largest number, and NaN
/// the largest positive one.
template <int Exponent, int Mantissa>
struct TinyFloat {
  static constexpr int kBias = (1 << (Exponent - 1)) - 1;
  static constexpr unsigned kSign = 1u << (Exponent + Mantissa), kLargest = kSign - 1;

  /// To the nearest, ties to even, or towards zero.
  KILN_INLINE_ALWAYS static unsigned rounded(double x, cudaRoundMode rounding) {
    if (x != x) return kLargest;
    const unsigned sign = __builtin_signbit(x) ? kSign : 0;
    const double size = __builtin_fabs(x);
    const int exponent = static_cast<int>(__builtin_bit_cast(unsigned long long, size) >> 52) - 1023;
    if (exponent > (1 << Exponent) - 1 - kBias) return sign | kLargest;
    const int scale = exponent < 1 - kBias ? 1 - kBias : exponent;
    const auto power = static_cast<unsigned long long>(1023 + Mantissa - scale) << 52;
    const double exact = size * __builtin_bit_cast(double, power);
    const double digits = rounding == cudaRoundZero ? __builtin_trunc(exact) : __builtin_rint(exact);
    const unsigned code =
        (static_cast<unsigned>(scale + kBias - 1) << Mantissa) + static_cast<unsigned>(digits);
    return sign | (code > kLargest ? kLargest : code);
  }
  KILN_INLINE_ALWAYS static float value(unsigned bits) {
    const int exponent = static_cast<int>(bits >> Mantissa & ((1u << Exponent) - 1));
    const int digits = static_cast<int>(bits & ((1u << Mantissa) - 1));
    const int whole = exponent == 0 ? digits : digits | 1 << Mantissa;
    const int power = (exponent == 0 ? 1 : exponent) - kBias - Mantissa;
    const float size =
        static_cast<float>(whole) * __builtin_bit_cast(float, static_cast<unsigned>(127 + power) << 23);
    return (bits & kSign) != 0 ? -size : size;
  }
};

struct Fp4E2m1 : TinyFloat<2, 1> {
  static constexpr int kWidth = 4;  ///< bits of one number in a pair
  using Pair = __nv_fp4x2_storage_t;
  using Four = __nv_fp4x4_storage_t;
  static constexpr auto kKind = __NV_E2M1;
};
struct Fp6E2m3 : TinyFloat<2, 3> {
  static constexpr int kWidth = 8;
  using Pair = __nv_fp6x2_storage_t;
  using Four = __nv_fp6x4_storage_t;
  static constexpr auto kKind = __NV_E2M3;
};
struct Fp6E3m2 : TinyFloat<3, 2> {
  static constexpr int kWidth = 8;
  using Pair = __nv_fp6x2_storage_t;
  using Four = __nv_fp6x4_storage_t;
  static constexpr auto kKind = __NV_E3M2;
};

KILN_INLINE_ALWAYS void check_rounding(cudaRoundMode rounding) {
  if (rounding != cudaRoundNearest && rounding != cudaRoundZero)
    kiln_assert(false, "rounding is cudaRoundNearest or cudaRoundZero", "cuda_fp4.h, cuda_fp6.h", 0);
}
KILN_INLINE_ALWAYS unsigned tiny_bits(double x, __nv_fp4_interpretation_t, cudaRoundMode rounding) {
  check_rounding(rounding);
  return Fp4E2m1::rounded(x, rounding);
}
KILN_INLINE_ALWAYS unsigned tiny_bits(double x, __nv_fp6_interpretation_t kind, cudaRoundMode rounding) {
  check_rounding(rounding);
  return kind == __NV_E2M3 ? Fp6E2m3::rounded(x, rounding) : Fp6E3m2::rounded(x, rounding);
}
KILN_INLINE_ALWAYS float tiny_value(unsigned bits, __nv_fp4_interpretation_t) {
  return Fp4E2m1::value(bits);
}
KILN_INLINE_ALWAYS float tiny_value(unsigned bits, __nv_fp6_interpretation_t kind) {
  return kind == __NV_E2M3 ? Fp6E2m3::value(bits) : Fp6E3m2::value(bits);
}

}  // namespace kiln

// The functions of both headers: NAME is fp4 or fp6, WIDTH the bits of one number in a pair.
#define KILN_TINY_FLOATS(NAME, WIDTH)                                                                        \
  KILN_SHIM __nv_##NAME##_storage_t __nv_cvt_double_to_##NAME(double x, __nv_##NAME##_interpretation_t kind, \
                                                              cudaRoundMode rounding) {                      \
    return static_cast<__nv_##NAME##_storage_t>(kiln::tiny_bits(x, kind, rounding));                         \
  }                                                                                                          \
  KILN_SHIM __nv_##NAME##_storage_t __nv_cvt_float_to_##NAME(float x, __nv_##NAME##_interpretation_t kind,   \
                                                             cudaRoundMode rounding) {                       \
    return __nv_cvt_double_to_##NAME(x, kind, rounding);                                                     \
  }                                                                                                          \
  KILN_SHIM __nv_##NAME##_storage_t __nv_cvt_halfraw_to_##NAME(                                              \
      __half_raw x, __nv_##NAME##_interpretation_t kind, cudaRoundMode rounding) {                           \
    return __nv_cvt_double_to_##NAME(static_cast<float>(__half(x)), kind, rounding);                         \
  }                                                                                                          \
  KILN_SHIM __nv_##NAME##_storage_t __nv_cvt_bfloat16raw_to_##NAME(                                          \
      __nv_bfloat16_raw x, __nv_##NAME##_interpretation_t kind, cudaRoundMode rounding) {                    \
    return __nv_cvt_double_to_##NAME(static_cast<float>(__nv_bfloat16(x)), kind, rounding);                  \
  }                                                                                                          \
  KILN_SHIM __nv_##NAME##x2_storage_t __nv_cvt_double2_to_##NAME##x2(                                        \
      double2 x, __nv_##NAME##_interpretation_t kind, cudaRoundMode rounding) {                              \
    return static_cast<__nv_##NAME##x2_storage_t>(__nv_cvt_double_to_##NAME(x.x, kind, rounding) |           \
                                                  __nv_cvt_double_to_##NAME(x.y, kind, rounding) << WIDTH);  \
  }                                                                                                          \
  KILN_SHIM __nv_##NAME##x2_storage_t __nv_cvt_float2_to_##NAME##x2(                                         \
      float2 x, __nv_##NAME##_interpretation_t kind, cudaRoundMode rounding) {                               \
    return __nv_cvt_double2_to_##NAME##x2({x.x, x.y}, kind, rounding);                                       \
  }                                                                                                          \
  KILN_SHIM __nv_##NAME##x2_storage_t __nv_cvt_halfraw2_to_##NAME##x2(                                       \
      __half2_raw x, __nv_##NAME##_interpretation_t kind, cudaRoundMode rounding) {                          \
    return __nv_cvt_float2_to_##NAME##x2(__half22float2(x), kind, rounding);                                 \
  }                                                                                                          \
  KILN_SHIM __nv_##NAME##x2_storage_t __nv_cvt_bfloat16raw2_to_##NAME##x2(                                   \
      __nv_bfloat162_raw x, __nv_##NAME##_interpretation_t kind, cudaRoundMode rounding) {                   \
    return __nv_cvt_float2_to_##NAME##x2(__bfloat1622float2(x), kind, rounding);                             \
  }                                                                                                          \
  KILN_SHIM __half_raw __nv_cvt_##NAME##_to_halfraw(__nv_##NAME##_storage_t x,                               \
                                                    __nv_##NAME##_interpretation_t kind) {                   \
    return __half(kiln::tiny_value(x, kind));                                                                \
  }                                                                                                          \
  KILN_SHIM __half2_raw __nv_cvt_##NAME##x2_to_halfraw2(__nv_##NAME##x2_storage_t x,                         \
                                                        __nv_##NAME##_interpretation_t kind) {               \
    return __halves2half2(__half(kiln::tiny_value(x & ((1u << WIDTH) - 1), kind)),                           \
                          __half(kiln::tiny_value(static_cast<unsigned>(x) >> WIDTH, kind)));                \
  }
KILN_TINY_FLOATS(fp4, 4)
KILN_TINY_FLOATS(fp6, 8)
#undef KILN_TINY_FLOATS

namespace kiln {

/// One number, of TinyFloat `F`.
template <class F>
struct DeviceTiny {
  __nv_fp8_storage_t __x;
  DeviceTiny() = default;
  KILN_INLINE_ALWAYS explicit DeviceTiny(double x)
      : __x(static_cast<__nv_fp8_storage_t>(F::rounded(x, cudaRoundNearest))) {}
  KILN_INLINE_ALWAYS explicit DeviceTiny(float x) : DeviceTiny(static_cast<double>(x)) {}
  KILN_INLINE_ALWAYS explicit DeviceTiny(__half x) : DeviceTiny(static_cast<float>(x)) {}
  KILN_INLINE_ALWAYS explicit DeviceTiny(__nv_bfloat16 x) : DeviceTiny(static_cast<float>(x)) {}
  template <class I>
  KILN_INLINE_ALWAYS explicit DeviceTiny(I integer) : DeviceTiny(static_cast<double>(integer)) {}
  KILN_INLINE_ALWAYS explicit operator float() const { return F::value(__x); }
  KILN_INLINE_ALWAYS explicit operator double() const { return static_cast<double>(F::value(__x)); }
  KILN_INLINE_ALWAYS explicit operator __half() const { return F::value(__x); }
  KILN_INLINE_ALWAYS explicit operator __nv_bfloat16() const { return F::value(__x); }
  KILN_INLINE_ALWAYS explicit operator bool() const { return (__x & F::kLargest) != 0; }
  KILN_INLINE_ALWAYS explicit operator char() const { return whole<char>(); }
  KILN_INLINE_ALWAYS explicit operator signed char() const { return whole<signed char>(); }
  KILN_INLINE_ALWAYS explicit operator short() const { return whole<short>(); }
  KILN_INLINE_ALWAYS explicit operator int() const { return whole<int>(); }
  KILN_INLINE_ALWAYS explicit operator long() const { return whole<long>(); }
  KILN_INLINE_ALWAYS explicit operator long long() const { return whole<long long>(); }
  KILN_INLINE_ALWAYS explicit operator unsigned char() const { return whole<unsigned char>(); }
  KILN_INLINE_ALWAYS explicit operator unsigned short() const { return whole<unsigned short>(); }
  KILN_INLINE_ALWAYS explicit operator unsigned() const { return whole<unsigned>(); }
  KILN_INLINE_ALWAYS explicit operator unsigned long() const { return whole<unsigned long>(); }
  KILN_INLINE_ALWAYS explicit operator unsigned long long() const { return whole<unsigned long long>(); }

 private:
  /// Towards zero; for types without a sign at least 0.
  template <class I>
  KILN_INLINE_ALWAYS I whole() const {
    const int number = static_cast<int>(F::value(__x));
    return static_cast<I>(static_cast<I>(-1) > I{} && number < 0 ? 0 : number);
  }
};

/// Two numbers, the first in the low bits; four.
template <class F>
struct DeviceTinyx2 {
  typename F::Pair __x;
  DeviceTinyx2() = default;
  KILN_INLINE_ALWAYS explicit DeviceTinyx2(double2 x)
      : __x(static_cast<typename F::Pair>(F::rounded(x.x, cudaRoundNearest) |
                                          F::rounded(x.y, cudaRoundNearest) << F::kWidth)) {}
  KILN_INLINE_ALWAYS explicit DeviceTinyx2(float2 x) : DeviceTinyx2(double2{x.x, x.y}) {}
  KILN_INLINE_ALWAYS explicit DeviceTinyx2(__half2 x) : DeviceTinyx2(__half22float2(x)) {}
  KILN_INLINE_ALWAYS explicit DeviceTinyx2(__nv_bfloat162 x) : DeviceTinyx2(__bfloat1622float2(x)) {}
  KILN_INLINE_ALWAYS explicit operator float2() const {
    return {F::value(__x & ((1u << F::kWidth) - 1)), F::value(static_cast<unsigned>(__x) >> F::kWidth)};
  }
  KILN_INLINE_ALWAYS explicit operator __half2() const {
    return __float22half2_rn(static_cast<float2>(*this));
  }
};
template <class F>
struct DeviceTinyx4 {
  typename F::Four __x;
  DeviceTinyx4() = default;
  KILN_INLINE_ALWAYS explicit DeviceTinyx4(double4 x)
      : __x(static_cast<typename F::Four>(DeviceTinyx2<F>(double2{x.x, x.y}).__x |
                                          static_cast<unsigned>(DeviceTinyx2<F>(double2{x.z, x.w}).__x)
                                              << 2 * F::kWidth)) {}
  KILN_INLINE_ALWAYS explicit DeviceTinyx4(float4 x) : DeviceTinyx4(double4{x.x, x.y, x.z, x.w}) {}
  KILN_INLINE_ALWAYS explicit DeviceTinyx4(__half2 low, __half2 high)
      : DeviceTinyx4(of(__half22float2(low), __half22float2(high))) {}
  KILN_INLINE_ALWAYS explicit DeviceTinyx4(__nv_bfloat162 low, __nv_bfloat162 high)
      : DeviceTinyx4(of(__bfloat1622float2(low), __bfloat1622float2(high))) {}
  KILN_INLINE_ALWAYS explicit operator float4() const {
    constexpr unsigned one = (1u << F::kWidth) - 1;
    return {F::value(__x & one), F::value(__x >> F::kWidth & one), F::value(__x >> 2 * F::kWidth & one),
            F::value(__x >> 3 * F::kWidth & one)};
  }

 private:
  KILN_INLINE_ALWAYS static float4 of(float2 low, float2 high) { return {low.x, low.y, high.x, high.y}; }
};

}  // namespace kiln

using __nv_fp4_e2m1 = kiln::DeviceTiny<kiln::Fp4E2m1>;
using __nv_fp4x2_e2m1 = kiln::DeviceTinyx2<kiln::Fp4E2m1>;
using __nv_fp4x4_e2m1 = kiln::DeviceTinyx4<kiln::Fp4E2m1>;
using __nv_fp6_e2m3 = kiln::DeviceTiny<kiln::Fp6E2m3>;
using __nv_fp6x2_e2m3 = kiln::DeviceTinyx2<kiln::Fp6E2m3>;
using __nv_fp6x4_e2m3 = kiln::DeviceTinyx4<kiln::Fp6E2m3>;
using __nv_fp6_e3m2 = kiln::DeviceTiny<kiln::Fp6E3m2>;
using __nv_fp6x2_e3m2 = kiln::DeviceTinyx2<kiln::Fp6E3m2>;
using __nv_fp6x4_e3m2 = kiln::DeviceTinyx4<kiln::Fp6E3m2>;
