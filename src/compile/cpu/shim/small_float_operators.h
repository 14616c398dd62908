// What CUDA's headers of small floating-point types have in common, for a host compiler: operators and
// functions compute in `float` and round once; fused ones in `double`.
#pragma once

#include "kiln/small_float.h"

namespace kiln {

/// __half2, __nv_bfloat162.
template <class Format>
struct alignas(2 * sizeof(typename Format::Bits)) SmallFloatPair {
  SmallFloat<Format> x, y;
};

#define KILN_SMALL_FLOAT_OPERATOR(sign)                                                                \
  template <class Format>                                                                              \
  KILN_SHIM SmallFloat<Format> operator sign(SmallFloat<Format> a, SmallFloat<Format> b) {             \
    return static_cast<float>(a) sign static_cast<float>(b);                                           \
  }                                                                                                    \
  template <class Format>                                                                              \
  KILN_SHIM SmallFloat<Format>& operator sign##=(SmallFloat<Format>& a, SmallFloat<Format> b) {        \
    return a = a sign b;                                                                               \
  }                                                                                                    \
  template <class Format>                                                                              \
  KILN_SHIM SmallFloatPair<Format> operator sign(SmallFloatPair<Format> a, SmallFloatPair<Format> b) { \
    return {a.x sign b.x, a.y sign b.y};                                                               \
  }
KILN_SMALL_FLOAT_OPERATOR(+)
KILN_SMALL_FLOAT_OPERATOR(-)
KILN_SMALL_FLOAT_OPERATOR(*)
KILN_SMALL_FLOAT_OPERATOR(/)

template <class Format>
KILN_SHIM SmallFloat<Format> operator-(SmallFloat<Format> a) {
  return SmallFloat<Format>::of_bits(a.bits ^ SmallFloat<Format>::kSign);
}

}  // namespace kiln

#define KILN_SMALL_FLOAT_FUNCTION(name, expression)                                                 \
  template <class Format>                                                                           \
  KILN_SHIM kiln::SmallFloat<Format> name(kiln::SmallFloat<Format> a, kiln::SmallFloat<Format> b) { \
    return expression;                                                                              \
  }                                                                                                 \
  template <class Format>                                                                           \
  KILN_SHIM kiln::SmallFloatPair<Format> name##2(kiln::SmallFloatPair<Format> a,                    \
                                                 kiln::SmallFloatPair<Format> b) {                  \
    return {name(a.x, b.x), name(a.y, b.y)};                                                        \
  }
KILN_SMALL_FLOAT_FUNCTION(__hadd, a + b)
KILN_SMALL_FLOAT_FUNCTION(__hsub, a - b)
KILN_SMALL_FLOAT_FUNCTION(__hmul, a* b)
KILN_SMALL_FLOAT_FUNCTION(__hmax, __builtin_fmaxf(a, b))
KILN_SMALL_FLOAT_FUNCTION(__hmin, __builtin_fminf(a, b))

template <class Format>
KILN_SHIM kiln::SmallFloat<Format> __hdiv(kiln::SmallFloat<Format> a, kiln::SmallFloat<Format> b) {
  return a / b;
}
template <class Format>
KILN_SHIM kiln::SmallFloatPair<Format> __h2div(kiln::SmallFloatPair<Format> a,
                                               kiln::SmallFloatPair<Format> b) {
  return a / b;
}
template <class Format>
KILN_SHIM kiln::SmallFloat<Format> __hfma(kiln::SmallFloat<Format> a, kiln::SmallFloat<Format> b,
                                          kiln::SmallFloat<Format> c) {
  return __builtin_fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
}
template <class Format>
KILN_SHIM kiln::SmallFloatPair<Format> __hfma2(kiln::SmallFloatPair<Format> a, kiln::SmallFloatPair<Format> b,
                                               kiln::SmallFloatPair<Format> c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
template <class Format>
KILN_SHIM kiln::SmallFloat<Format> __hneg(kiln::SmallFloat<Format> a) {
  return -a;
}
template <class Format>
KILN_SHIM kiln::SmallFloat<Format> __habs(kiln::SmallFloat<Format> a) {
  return kiln::SmallFloat<Format>::of_bits(a.bits & (kiln::SmallFloat<Format>::kSign - 1));
}
template <class Format>
KILN_SHIM kiln::SmallFloat<Format> hsqrt(kiln::SmallFloat<Format> a) {
  return __builtin_sqrtf(a);
}
template <class Format>
KILN_SHIM kiln::SmallFloat<Format> hexp(kiln::SmallFloat<Format> a) {
  return __builtin_expf(a);
}
template <class Format>
KILN_SHIM kiln::SmallFloat<Format> hlog(kiln::SmallFloat<Format> a) {
  return __builtin_logf(a);
}

#define KILN_SMALL_FLOAT_RELATION(name, expression)                             \
  template <class Format>                                                       \
  KILN_SHIM bool name(kiln::SmallFloat<Format> a, kiln::SmallFloat<Format> b) { \
    return expression;                                                          \
  }
KILN_SMALL_FLOAT_RELATION(__heq, a == b)
KILN_SMALL_FLOAT_RELATION(__hne, a<b || a> b)
KILN_SMALL_FLOAT_RELATION(__hlt, a < b)
KILN_SMALL_FLOAT_RELATION(__hle, a <= b)
KILN_SMALL_FLOAT_RELATION(__hgt, a > b)
KILN_SMALL_FLOAT_RELATION(__hge, a >= b)

template <class Format>
KILN_SHIM bool __hisnan(kiln::SmallFloat<Format> a) {
  return static_cast<float>(a) != static_cast<float>(a);
}

// Of one type: __float2half and so on.
#define KILN_SMALL_FLOAT_CONVERSIONS(name, type, pair)     \
  KILN_SHIM type __float2##name(float a) {                 \
    return a;                                              \
  }                                                        \
  KILN_SHIM type __float2##name##_rn(float a) {            \
    return a;                                              \
  }                                                        \
  KILN_SHIM type __double2##name(double a) {               \
    return a;                                              \
  }                                                        \
  KILN_SHIM type __int2##name##_rn(int a) {                \
    return a;                                              \
  }                                                        \
  KILN_SHIM float __##name##2float(type a) {               \
    return a;                                              \
  }                                                        \
  KILN_SHIM pair __float2##name##2_rn(float a) {           \
    return {a, a};                                         \
  }                                                        \
  KILN_SHIM pair __floats2##name##2_rn(float a, float b) { \
    return {a, b};                                         \
  }                                                        \
  KILN_SHIM float2 __##name##22float2(pair a) {            \
    return {a.x, a.y};                                     \
  }                                                        \
  KILN_SHIM type __low2##name(pair a) {                    \
    return a.x;                                            \
  }                                                        \
  KILN_SHIM type __high2##name(pair a) {                   \
    return a.y;                                            \
  }                                                        \
  KILN_SHIM float __low2float(pair a) {                    \
    return a.x;                                            \
  }                                                        \
  KILN_SHIM float __high2float(pair a) {                   \
    return a.y;                                            \
  }                                                        \
  KILN_SHIM pair __##name##2##name##2(type a) {            \
    return {a, a};                                         \
  }
