// What CUDA's headers of small floating-point types have in common, for a host compiler: operators and
// functions compute in `float` and round once. A `float` has more than twice the digits of each type, so that
// sums, products, quotients and roots are those of exact arithmetic; only a product of bfloat16 below 2^-126
// is rounded twice. Functions are no templates where CUDA's are none: arguments convert.
#pragma once

#include "kiln/small_float.h"

namespace kiln {

// __half_raw and its like: the bits by the names that CUDA gives them.
struct SmallFloatRaw {
  unsigned short x;
};
struct alignas(4) SmallFloatPairRaw {
  unsigned short x, y;
};

/// __half, __nv_bfloat16: the number, with the conversions that kernels use.
template <class Format>
struct DeviceFloat : SmallFloat<Format> {
  using Number = SmallFloat<Format>;
  using Kind = Format;
  using Number::Number;
  using Number::operator float;
  DeviceFloat() = default;
  KILN_INLINE_ALWAYS DeviceFloat(Number number) : Number(number) {}
  KILN_INLINE_ALWAYS DeviceFloat(SmallFloatRaw raw) : Number(Number::of_bits(raw.x)) {}
  template <class Other>
  KILN_INLINE_ALWAYS explicit DeviceFloat(const DeviceFloat<Other>& other)
      : Number(static_cast<float>(other)) {}
  KILN_INLINE_ALWAYS operator SmallFloatRaw() const { return {this->bits}; }
  // A cast to an integer has limits, as __half2int_rz has.
#define KILN_CAST(I)                                      \
  KILN_INLINE_ALWAYS explicit operator I() const {        \
    return kiln_to_integer<I>(static_cast<float>(*this)); \
  }
  KILN_CAST(char)
  KILN_CAST(signed char)
  KILN_CAST(unsigned char)
  KILN_CAST(short)
  KILN_CAST(unsigned short)
  KILN_CAST(int)
  KILN_CAST(unsigned)
  KILN_CAST(long)
  KILN_CAST(unsigned long)
  KILN_CAST(long long)
  KILN_CAST(unsigned long long)
#undef KILN_CAST
};

/// __half2, __nv_bfloat162.
template <class Format>
struct alignas(2 * sizeof(typename Format::Bits)) DevicePair {
  DeviceFloat<Format> x, y;
  DevicePair() = default;
  KILN_INLINE_ALWAYS DevicePair(DeviceFloat<Format> x_, DeviceFloat<Format> y_) : x(x_), y(y_) {}
  KILN_INLINE_ALWAYS DevicePair(SmallFloatPairRaw raw) : x(SmallFloatRaw{raw.x}), y(SmallFloatRaw{raw.y}) {}
  KILN_INLINE_ALWAYS operator SmallFloatPairRaw() const { return {x.bits, y.bits}; }
};

/// The result of a sum with the error of its rounding in the last bit, so that rounding it again to fewer
/// digits is one rounding of the sum. (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums",
/// IEEE Trans. Comput. 57, 2008)
KILN_SHIM float odd_sum(float a, float b) {
  const float sum = KILN_AS_WRITTEN(a + b);
  const float part = KILN_AS_WRITTEN(sum - a);
  const float error = KILN_AS_WRITTEN(a - KILN_AS_WRITTEN(sum - part)) + KILN_AS_WRITTEN(b - part);
  const int inexact = __builtin_islessgreater(error, 0.0f) ? -1 : 0;  // not where the sum is infinite
  const int word = __builtin_bit_cast(int, sum);
  const int opposite = (word ^ __builtin_bit_cast(int, error)) >> 31;
  return __builtin_bit_cast(float, (word + (opposite & inexact)) | (inexact & 1));
}
KILN_SHIM double odd_sum(double a, double b) {
  const double sum = KILN_AS_WRITTEN(a + b);
  const double part = KILN_AS_WRITTEN(sum - a);
  const double error = KILN_AS_WRITTEN(a - KILN_AS_WRITTEN(sum - part)) + KILN_AS_WRITTEN(b - part);
  const long inexact = __builtin_islessgreater(error, 0.0) ? -1 : 0;
  const long word = __builtin_bit_cast(long, sum);
  const long opposite = (word ^ __builtin_bit_cast(long, error)) >> 63;
  return __builtin_bit_cast(double, (word + (opposite & inexact)) | (inexact & 1));
}

/// A `double` in fewer digits, in the same way.
KILN_SHIM float odd_float(double value) {
  const float nearest = static_cast<float>(value);
  const double found = nearest;
  const int word = __builtin_bit_cast(int, nearest);
  const int towards = __builtin_fabs(found) < __builtin_fabs(value) ? 1 : -1;
  const bool moves = found != value && (word & 1) == 0 && __builtin_fabsf(nearest) < __builtin_inff();
  return __builtin_bit_cast(float, moves ? word + towards : word);
}
KILN_SHIM float odd_float(float value) {
  return value;
}

/// The type that holds each product of two numbers.
template <class Format>
struct Products {
  using type = float;
};
template <>
struct Products<Bfloat16Format> {
  using type = double;
};

template <class Format>
KILN_SHIM SmallFloat<Format> fused(SmallFloat<Format> a, SmallFloat<Format> b, SmallFloat<Format> c) {
  using Wide = typename Products<Format>::type;
  const Wide x = static_cast<float>(a), y = static_cast<float>(b), z = static_cast<float>(c);
  return odd_float(odd_sum(KILN_AS_WRITTEN(x * y), z));
}

enum class Rounding { kDown, kUp, kZero };

template <class Format>
KILN_SHIM SmallFloat<Format> directed(double value, Rounding rounding) {
  const SmallFloat<Format> nearest(value);
  const double found = static_cast<float>(nearest);
  const bool negative = nearest.bits >= SmallFloat<Format>::kSign;
  const bool moves = rounding == Rounding::kDown ? found > value
                     : rounding == Rounding::kUp ? found < value
                     : negative                  ? found < value
                                                 : found > value;
  const bool grows = (rounding == Rounding::kDown && negative) || (rounding == Rounding::kUp && !negative);
  return SmallFloat<Format>::of_bits(nearest.bits + (moves ? (grows ? 1u : ~0u) : 0u));
}

template <class V>
struct Itself {
  using type = V;
};

// `a += b` converts b.
#define KILN_SMALL_FLOAT_OPERATOR(sign)                                                           \
  template <class Format>                                                                         \
  KILN_SHIM DeviceFloat<Format> operator sign(DeviceFloat<Format> a, DeviceFloat<Format> b) {     \
    return static_cast<float>(a) sign static_cast<float>(b);                                      \
  }                                                                                               \
  template <class Format>                                                                         \
  KILN_SHIM DeviceFloat<Format>& operator sign##=(DeviceFloat<Format>& a,                         \
                                                  typename Itself<DeviceFloat<Format>>::type b) { \
    return a = a sign b;                                                                          \
  }                                                                                               \
  template <class Format>                                                                         \
  KILN_SHIM DevicePair<Format> operator sign(DevicePair<Format> a, DevicePair<Format> b) {        \
    return {a.x sign b.x, a.y sign b.y};                                                          \
  }                                                                                               \
  template <class Format>                                                                         \
  KILN_SHIM DevicePair<Format>& operator sign##=(DevicePair<Format>& a, DevicePair<Format> b) {   \
    return a = a sign b;                                                                          \
  }
KILN_SMALL_FLOAT_OPERATOR(+)
KILN_SMALL_FLOAT_OPERATOR(-)
KILN_SMALL_FLOAT_OPERATOR(*)
KILN_SMALL_FLOAT_OPERATOR(/)

#define KILN_SMALL_FLOAT_SIGN(sign, flipped)                           \
  template <class Format>                                              \
  KILN_SHIM DeviceFloat<Format> operator sign(DeviceFloat<Format> a) { \
    return SmallFloat<Format>::of_bits(a.bits ^ (flipped));            \
  }                                                                    \
  template <class Format>                                              \
  KILN_SHIM DevicePair<Format> operator sign(DevicePair<Format> a) {   \
    return {sign a.x, sign a.y};                                       \
  }
KILN_SMALL_FLOAT_SIGN(+, 0u)
KILN_SMALL_FLOAT_SIGN(-, SmallFloat<Format>::kSign)

#define KILN_SMALL_FLOAT_STEP(sign, step)                                    \
  template <class Format>                                                    \
  KILN_SHIM DeviceFloat<Format>& operator sign(DeviceFloat<Format>& a) {     \
    return a = a step DeviceFloat<Format>(1);                                \
  }                                                                          \
  template <class Format>                                                    \
  KILN_SHIM DeviceFloat<Format> operator sign(DeviceFloat<Format>& a, int) { \
    const DeviceFloat<Format> old = a;                                       \
    a = a step DeviceFloat<Format>(1);                                       \
    return old;                                                              \
  }                                                                          \
  template <class Format>                                                    \
  KILN_SHIM DevicePair<Format>& operator sign(DevicePair<Format>& a) {       \
    return a = a step DevicePair<Format>(1, 1);                              \
  }                                                                          \
  template <class Format>                                                    \
  KILN_SHIM DevicePair<Format> operator sign(DevicePair<Format>& a, int) {   \
    const DevicePair<Format> old = a;                                        \
    a = a step DevicePair<Format>(1, 1);                                     \
    return old;                                                              \
  }
KILN_SMALL_FLOAT_STEP(++, +)
KILN_SMALL_FLOAT_STEP(--, -)

// A pair compares as both its numbers do.
#define KILN_SMALL_FLOAT_COMPARISON(sign)                                      \
  template <class Format>                                                      \
  KILN_SHIM bool operator sign(DeviceFloat<Format> a, DeviceFloat<Format> b) { \
    return static_cast<float>(a) sign static_cast<float>(b);                   \
  }                                                                            \
  template <class Format>                                                      \
  KILN_SHIM bool operator sign(DevicePair<Format> a, DevicePair<Format> b) {   \
    return a.x sign b.x && a.y sign b.y;                                       \
  }
KILN_SMALL_FLOAT_COMPARISON(==)
KILN_SMALL_FLOAT_COMPARISON(!=)
KILN_SMALL_FLOAT_COMPARISON(<)
KILN_SMALL_FLOAT_COMPARISON(<=)
KILN_SMALL_FLOAT_COMPARISON(>)
KILN_SMALL_FLOAT_COMPARISON(>=)

template <class Number>
KILN_SHIM bool is_nan(Number a) {
  return (a.bits & (Number::kSign - 1)) > Number::kTop;
}
template <class Number>
KILN_SHIM Number saturated(Number a) {
  const float value = a;
  return value > 0.0f ? (value < 1.0f ? a : Number(1)) : Number(0);  // a NaN is 0
}
template <class Number>
KILN_SHIM Number rectified(Number a) {
  return is_nan(a) ? Number::of_bits(Number::kNan) : Number(static_cast<float>(a) > 0.0f ? a : Number(0));
}
/// +0 is larger than -0, and a number than NaN.
template <class Number>
KILN_SHIM Number larger(Number a, Number b) {
  const float x = a, y = b;
  const bool first = x > y || (x == y && a.bits < Number::kSign);
  const Number canonical = Number::of_bits(Number::kNan);
  return is_nan(a) ? (is_nan(b) ? canonical : b) : is_nan(b) ? a : first ? a : b;
}
template <class Number>
KILN_SHIM Number smaller(Number a, Number b) {
  const float x = a, y = b;
  const bool first = x < y || (x == y && a.bits >= Number::kSign);
  const Number canonical = Number::of_bits(Number::kNan);
  return is_nan(a) ? (is_nan(b) ? canonical : b) : is_nan(b) ? a : first ? a : b;
}

}  // namespace kiln

// ------------------------------------------------------------------------------------ functions, by type
// `word` is the type's name in functions' names: half, bfloat16.

#define KILN_SMALL_FLOAT_TWO(T, P, name, pair_name, expression) \
  KILN_SHIM T name(T a, T b) {                                  \
    return expression;                                          \
  }                                                             \
  KILN_SHIM P pair_name(P a, P b) {                             \
    return {name(a.x, b.x), name(a.y, b.y)};                    \
  }
#define KILN_SMALL_FLOAT_THREE(T, P, name, pair_name, expression) \
  KILN_SHIM T name(T a, T b, T c) {                               \
    return expression;                                            \
  }                                                               \
  KILN_SHIM P pair_name(P a, P b, P c) {                          \
    return {name(a.x, b.x, c.x), name(a.y, b.y, c.y)};            \
  }
#define KILN_SMALL_FLOAT_ONE(T, P, name, pair_name, expression) \
  KILN_SHIM T name(T a) {                                       \
    return expression;                                          \
  }                                                             \
  KILN_SHIM P pair_name(P a) {                                  \
    return {name(a.x), name(a.y)};                              \
  }

/// A template, beside which a text written for an older CUDA may have its own function for `half`.
template <bool Holds>
struct KilnIf {};
template <>
struct KilnIf<true> {
  typedef int type;
};
#define KILN_SMALL_FLOAT_LATER(T, P, name, pair_name, expression) \
  template <class F, typename KilnIf<__is_same(F, T)>::type = 0>  \
  KILN_SHIM T name(F a) {                                         \
    return expression;                                            \
  }                                                               \
  KILN_SHIM P pair_name(P a) {                                    \
    return {name(a.x), name(a.y)};                                \
  }

#define KILN_SMALL_FLOAT_ARITHMETIC(T, P)                                                              \
  KILN_SMALL_FLOAT_TWO(T, P, __hadd, __hadd2, a + b)                                                   \
  KILN_SMALL_FLOAT_TWO(T, P, __hsub, __hsub2, a - b)                                                   \
  KILN_SMALL_FLOAT_TWO(T, P, __hmul, __hmul2, a* b)                                                    \
  KILN_SMALL_FLOAT_TWO(T, P, __hdiv, __h2div, a / b)                                                   \
  KILN_SMALL_FLOAT_TWO(T, P, __hadd_rn, __hadd2_rn, a + b)                                             \
  KILN_SMALL_FLOAT_TWO(T, P, __hsub_rn, __hsub2_rn, a - b)                                             \
  KILN_SMALL_FLOAT_TWO(T, P, __hmul_rn, __hmul2_rn, a* b)                                              \
  KILN_SMALL_FLOAT_TWO(T, P, __hadd_sat, __hadd2_sat, kiln::saturated(a + b))                          \
  KILN_SMALL_FLOAT_TWO(T, P, __hsub_sat, __hsub2_sat, kiln::saturated(a - b))                          \
  KILN_SMALL_FLOAT_TWO(T, P, __hmul_sat, __hmul2_sat, kiln::saturated(a* b))                           \
  KILN_SMALL_FLOAT_TWO(T, P, __hmax, __hmax2, kiln::larger(a, b))                                      \
  KILN_SMALL_FLOAT_TWO(T, P, __hmin, __hmin2, kiln::smaller(a, b))                                     \
  KILN_SMALL_FLOAT_TWO(T, P, __hmax_nan, __hmax2_nan,                                                  \
                       kiln::is_nan(a) || kiln::is_nan(b) ? T(T::of_bits(T::kNan)) : __hmax(a, b))     \
  KILN_SMALL_FLOAT_TWO(T, P, __hmin_nan, __hmin2_nan,                                                  \
                       kiln::is_nan(a) || kiln::is_nan(b) ? T(T::of_bits(T::kNan)) : __hmin(a, b))     \
  KILN_SMALL_FLOAT_THREE(T, P, __hfma, __hfma2, kiln::fused(T::Number(a), T::Number(b), T::Number(c))) \
  KILN_SMALL_FLOAT_THREE(T, P, __hfma_sat, __hfma2_sat, kiln::saturated(__hfma(a, b, c)))              \
  KILN_SMALL_FLOAT_THREE(T, P, __hfma_relu, __hfma2_relu, kiln::rectified(__hfma(a, b, c)))            \
  KILN_SMALL_FLOAT_ONE(T, P, __hneg, __hneg2, -a)                                                      \
  KILN_SMALL_FLOAT_ONE(T, P, __habs, __habs2, T::of_bits(a.bits&(T::kSign - 1)))                       \
  /* (a.x + i a.y) (b.x + i b.y) + c */                                                                \
  KILN_SHIM P __hcmadd(P a, P b, P c) {                                                                \
    const T real = __hfma(a.x, b.x, c.x), imaginary = __hfma(a.x, b.y, c.y);                           \
    return {__hfma(-a.y, b.y, real), __hfma(a.y, b.x, imaginary)};                                     \
  }

#define KILN_SMALL_FLOAT_FUNCTIONS(T, P)                                                   \
  KILN_SMALL_FLOAT_ONE(T, P, hceil, h2ceil, __builtin_ceilf(a))                            \
  KILN_SMALL_FLOAT_ONE(T, P, hfloor, h2floor, __builtin_floorf(a))                         \
  KILN_SMALL_FLOAT_ONE(T, P, htrunc, h2trunc, __builtin_truncf(a))                         \
  KILN_SMALL_FLOAT_ONE(T, P, hrint, h2rint, __builtin_rintf(a))                            \
  KILN_SMALL_FLOAT_ONE(T, P, hsqrt, h2sqrt, __builtin_sqrtf(a))                            \
  KILN_SMALL_FLOAT_ONE(T, P, hrsqrt, h2rsqrt, 1.0 / __builtin_sqrt(static_cast<float>(a))) \
  KILN_SMALL_FLOAT_ONE(T, P, hrcp, h2rcp, 1.0f / a)                                        \
  KILN_SMALL_FLOAT_ONE(T, P, hsin, h2sin, sinf(a))                                         \
  KILN_SMALL_FLOAT_ONE(T, P, hcos, h2cos, cosf(a))                                         \
  KILN_SMALL_FLOAT_LATER(T, P, htanh, h2tanh, tanhf(a))                                    \
  KILN_SMALL_FLOAT_ONE(T, P, htanh_approx, h2tanh_approx, tanhf(a))                        \
  KILN_SMALL_FLOAT_ONE(T, P, hexp, h2exp, expf(a))                                         \
  KILN_SMALL_FLOAT_ONE(T, P, hexp2, h2exp2, exp2f(a))                                      \
  KILN_SMALL_FLOAT_ONE(T, P, hexp10, h2exp10, exp10f(a))                                   \
  KILN_SMALL_FLOAT_ONE(T, P, hlog, h2log, logf(a))                                         \
  KILN_SMALL_FLOAT_ONE(T, P, hlog2, h2log2, log2f(a))                                      \
  KILN_SMALL_FLOAT_ONE(T, P, hlog10, h2log10, log10f(a))

// Of one relation: of numbers, of pairs (1 or 0, all bits or none, both), and with NaN as what it holds for.
#define KILN_SMALL_FLOAT_RELATION(T, P, name, suffix, expression)                                           \
  KILN_SHIM bool __h##name##suffix(T a, T b) {                                                              \
    const float x = a, y = b;                                                                               \
    return expression;                                                                                      \
  }                                                                                                         \
  KILN_SHIM P __h##name##suffix##2(P a, P b) {                                                              \
    return {__h##name##suffix(a.x, b.x) ? 1 : 0, __h##name##suffix(a.y, b.y) ? 1 : 0};                      \
  }                                                                                                         \
  KILN_SHIM unsigned __h##name##suffix##2_mask(P a, P b) {                                                  \
    return (__h##name##suffix(a.x, b.x) ? 0xffffu : 0u) | (__h##name##suffix(a.y, b.y) ? 0xffff0000u : 0u); \
  }                                                                                                         \
  KILN_SHIM bool __hb##name##suffix##2(P a, P b) {                                                          \
    return __h##name##suffix(a.x, b.x) && __h##name##suffix(a.y, b.y);                                      \
  }
#define KILN_SMALL_FLOAT_RELATIONS(T, P)                                          \
  KILN_SMALL_FLOAT_RELATION(T, P, eq, , x == y)                                   \
  KILN_SMALL_FLOAT_RELATION(T, P, ne, , x<y || x> y)                              \
  KILN_SMALL_FLOAT_RELATION(T, P, lt, , x < y)                                    \
  KILN_SMALL_FLOAT_RELATION(T, P, le, , x <= y)                                   \
  KILN_SMALL_FLOAT_RELATION(T, P, gt, , x > y)                                    \
  KILN_SMALL_FLOAT_RELATION(T, P, ge, , x >= y)                                   \
  KILN_SMALL_FLOAT_RELATION(T, P, eq, u, !(x < y || x > y))                       \
  KILN_SMALL_FLOAT_RELATION(T, P, ne, u, x != y)                                  \
  KILN_SMALL_FLOAT_RELATION(T, P, lt, u, !(x >= y))                               \
  KILN_SMALL_FLOAT_RELATION(T, P, le, u, !(x > y))                                \
  KILN_SMALL_FLOAT_RELATION(T, P, gt, u, !(x <= y))                               \
  KILN_SMALL_FLOAT_RELATION(T, P, ge, u, !(x < y))                                \
  KILN_SHIM bool __hisnan(T a) {                                                  \
    return kiln::is_nan(a);                                                       \
  }                                                                               \
  KILN_SHIM P __hisnan2(P a) {                                                    \
    return {kiln::is_nan(a.x) ? 1 : 0, kiln::is_nan(a.y) ? 1 : 0};                \
  }                                                                               \
  KILN_SHIM int __hisinf(T a) { /* -1: minus infinity */                          \
    return (a.bits & (T::kSign - 1)) != T::kTop ? 0 : a.bits < T::kSign ? 1 : -1; \
  }

#define KILN_SMALL_FLOAT_INTEGER(word, T, I, name, wide)         \
  KILN_SHIM T __##name##2##word##_rn(I a) {                      \
    return a;                                                    \
  }                                                              \
  KILN_SHIM T __##name##2##word##_rz(I a) {                      \
    return kiln::directed<T::Kind>(wide, kiln::Rounding::kZero); \
  }                                                              \
  KILN_SHIM T __##name##2##word##_rd(I a) {                      \
    return kiln::directed<T::Kind>(wide, kiln::Rounding::kDown); \
  }                                                              \
  KILN_SHIM T __##name##2##word##_ru(I a) {                      \
    return kiln::directed<T::Kind>(wide, kiln::Rounding::kUp);   \
  }                                                              \
  KILN_SHIM I __##word##2##name##_rn(T a) {                      \
    return kiln_to_integer<I>(__builtin_rintf(a));               \
  }                                                              \
  KILN_SHIM I __##word##2##name##_rz(T a) {                      \
    return kiln_to_integer<I>(static_cast<float>(a));            \
  }                                                              \
  KILN_SHIM I __##word##2##name##_rd(T a) {                      \
    return kiln_to_integer<I>(__builtin_floorf(a));              \
  }                                                              \
  KILN_SHIM I __##word##2##name##_ru(T a) {                      \
    return kiln_to_integer<I>(__builtin_ceilf(a));               \
  }

// Conversions: __float2half and so on.
#define KILN_SMALL_FLOAT_CONVERSIONS(word, T, P)                                          \
  KILN_SMALL_FLOAT_INTEGER(word, T, int, int, static_cast<double>(a))                     \
  KILN_SMALL_FLOAT_INTEGER(word, T, unsigned, uint, static_cast<double>(a))               \
  KILN_SMALL_FLOAT_INTEGER(word, T, short, short, static_cast<double>(a))                 \
  KILN_SMALL_FLOAT_INTEGER(word, T, unsigned short, ushort, static_cast<double>(a))       \
  KILN_SMALL_FLOAT_INTEGER(word, T, unsigned long long, ull, T::odd_double(a))            \
  KILN_SMALL_FLOAT_INTEGER(word, T, long long, ll,                                        \
                           a < 0 ? -T::odd_double(0 - static_cast<unsigned long long>(a)) \
                                 : T::odd_double(static_cast<unsigned long long>(a)))     \
  KILN_SHIM signed char __##word##2char_rz(T a) {                                         \
    return kiln_to_integer<signed char>(static_cast<float>(a));                           \
  }                                                                                       \
  KILN_SHIM unsigned char __##word##2uchar_rz(T a) {                                      \
    return kiln_to_integer<unsigned char>(static_cast<float>(a));                         \
  }                                                                                       \
  KILN_SHIM T __float2##word(float a) {                                                   \
    return a;                                                                             \
  }                                                                                       \
  KILN_SHIM T __float2##word##_rn(float a) {                                              \
    return a;                                                                             \
  }                                                                                       \
  KILN_SHIM T __float2##word##_rz(float a) {                                              \
    return kiln::directed<T::Kind>(a, kiln::Rounding::kZero);                             \
  }                                                                                       \
  KILN_SHIM T __float2##word##_rd(float a) {                                              \
    return kiln::directed<T::Kind>(a, kiln::Rounding::kDown);                             \
  }                                                                                       \
  KILN_SHIM T __float2##word##_ru(float a) {                                              \
    return kiln::directed<T::Kind>(a, kiln::Rounding::kUp);                               \
  }                                                                                       \
  KILN_SHIM T __double2##word(double a) {                                                 \
    return a;                                                                             \
  }                                                                                       \
  KILN_SHIM float __##word##2float(T a) {                                                 \
    return a;                                                                             \
  }                                                                                       \
  KILN_SHIM P __float2##word##2_rn(float a) {                                             \
    return {a, a};                                                                        \
  }                                                                                       \
  KILN_SHIM P __floats2##word##2_rn(float a, float b) {                                   \
    return {a, b};                                                                        \
  }                                                                                       \
  KILN_SHIM P __float22##word##2_rn(float2 a) {                                           \
    return {a.x, a.y};                                                                    \
  }                                                                                       \
  KILN_SHIM float2 __##word##22float2(P a) {                                              \
    return {a.x, a.y};                                                                    \
  }                                                                                       \
  KILN_SHIM float __low2float(P a) {                                                      \
    return a.x;                                                                           \
  }                                                                                       \
  KILN_SHIM float __high2float(P a) {                                                     \
    return a.y;                                                                           \
  }                                                                                       \
  KILN_SHIM T __low2##word(P a) {                                                         \
    return a.x;                                                                           \
  }                                                                                       \
  KILN_SHIM T __high2##word(P a) {                                                        \
    return a.y;                                                                           \
  }                                                                                       \
  KILN_SHIM P __low2##word##2(P a) {                                                      \
    return {a.x, a.x};                                                                    \
  }                                                                                       \
  KILN_SHIM P __high2##word##2(P a) {                                                     \
    return {a.y, a.y};                                                                    \
  }                                                                                       \
  KILN_SHIM P __lows2##word##2(P a, P b) {                                                \
    return {a.x, b.x};                                                                    \
  }                                                                                       \
  KILN_SHIM P __highs2##word##2(P a, P b) {                                               \
    return {a.y, b.y};                                                                    \
  }                                                                                       \
  KILN_SHIM P __lowhigh2highlow(P a) {                                                    \
    return {a.y, a.x};                                                                    \
  }                                                                                       \
  KILN_SHIM P __##word##2##word##2(T a) {                                                 \
    return {a, a};                                                                        \
  }                                                                                       \
  KILN_SHIM P __halves2##word##2(T a, T b) {                                              \
    return {a, b};                                                                        \
  }                                                                                       \
  KILN_SHIM P make_##word##2(T a, T b) {                                                  \
    return {a, b};                                                                        \
  }                                                                                       \
  KILN_SHIM short __##word##_as_short(T a) {                                              \
    return static_cast<short>(a.bits);                                                    \
  }                                                                                       \
  KILN_SHIM unsigned short __##word##_as_ushort(T a) {                                    \
    return a.bits;                                                                        \
  }                                                                                       \
  KILN_SHIM T __short_as_##word(short bits) {                                             \
    return T::of_bits(static_cast<unsigned short>(bits));                                 \
  }                                                                                       \
  KILN_SHIM T __ushort_as_##word(unsigned short bits) {                                   \
    return T::of_bits(bits);                                                              \
  }

// On the CPU a text's own atomicAdd of these types, as texts for PyTorch have it, goes before these
// templates.
#define KILN_SMALL_FLOAT_TYPE(word, T, P)         \
  KILN_SMALL_FLOAT_ARITHMETIC(T, P)               \
  KILN_SMALL_FLOAT_FUNCTIONS(T, P)                \
  KILN_SMALL_FLOAT_RELATIONS(T, P)                \
  KILN_SMALL_FLOAT_CONVERSIONS(word, T, P)        \
  KILN_ATOMIC_TEMPLATE(atomicAdd, T, old + value) \
  KILN_ATOMIC_TEMPLATE(atomicAdd, P, old + value)
