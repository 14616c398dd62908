// The CUDA dialect for a host compiler, part 2: the math library's functions, with CUDA's overloads and
// extras. The float overloads are templates, so that they can live beside those of <cmath> and <math.h>: a
// function that is no template is preferred. With fast-math, GCC calls glibc's vector versions where
// KILN_LIBMVEC (glibc's minor version) has them; clang knows them by itself.
#pragma once

#if defined(__FAST_MATH__) && defined(KILN_LIBMVEC) && !defined(__clang__)
#define KILN_VECTOR_MATH __attribute__((simd("notinbranch")))
#else
#define KILN_VECTOR_MATH
#endif
#if defined(KILN_LIBMVEC) && KILN_LIBMVEC >= 35
#define KILN_VECTOR_MATH_35 KILN_VECTOR_MATH
#else
#define KILN_VECTOR_MATH_35
#endif

template <class Left, class Right>
struct KilnSame {};
template <class V>
struct KilnSame<V, V> {
  using type = int;
};
#define KILN_ONLY(T, type_) class T, typename KilnSame<T, type_>::type = 0

#define KILN_MATH_1(name, attribute)                        \
  extern "C" attribute double name(double) noexcept(true);  \
  extern "C" attribute float name##f(float) noexcept(true); \
  template <KILN_ONLY(V, float)>                            \
  KILN_SHIM V name(V x) {                                   \
    return name##f(x);                                      \
  }
#define KILN_MATH_2(name, attribute)                               \
  extern "C" attribute double name(double, double) noexcept(true); \
  extern "C" attribute float name##f(float, float) noexcept(true); \
  template <KILN_ONLY(V, float)>                                   \
  KILN_SHIM V name(V x, V y) {                                     \
    return name##f(x, y);                                          \
  }

KILN_MATH_1(sin, KILN_VECTOR_MATH)
KILN_MATH_1(cos, KILN_VECTOR_MATH)
KILN_MATH_1(exp, KILN_VECTOR_MATH)
KILN_MATH_1(log, KILN_VECTOR_MATH)
KILN_MATH_2(pow, KILN_VECTOR_MATH)
KILN_MATH_1(tan, KILN_VECTOR_MATH_35)
KILN_MATH_1(asin, KILN_VECTOR_MATH_35)
KILN_MATH_1(acos, KILN_VECTOR_MATH_35)
KILN_MATH_1(atan, KILN_VECTOR_MATH_35)
KILN_MATH_1(sinh, KILN_VECTOR_MATH_35)
KILN_MATH_1(cosh, KILN_VECTOR_MATH_35)
KILN_MATH_1(tanh, KILN_VECTOR_MATH_35)
KILN_MATH_1(asinh, KILN_VECTOR_MATH_35)
KILN_MATH_1(acosh, KILN_VECTOR_MATH_35)
KILN_MATH_1(atanh, KILN_VECTOR_MATH_35)
KILN_MATH_1(exp2, KILN_VECTOR_MATH_35)
KILN_MATH_1(exp10, KILN_VECTOR_MATH_35)
KILN_MATH_1(expm1, KILN_VECTOR_MATH_35)
KILN_MATH_1(log2, KILN_VECTOR_MATH_35)
KILN_MATH_1(log10, KILN_VECTOR_MATH_35)
KILN_MATH_1(log1p, KILN_VECTOR_MATH_35)
KILN_MATH_1(cbrt, KILN_VECTOR_MATH_35)
KILN_MATH_1(erf, KILN_VECTOR_MATH_35)
KILN_MATH_1(erfc, KILN_VECTOR_MATH_35)
KILN_MATH_2(atan2, KILN_VECTOR_MATH_35)
KILN_MATH_2(hypot, KILN_VECTOR_MATH_35)
KILN_MATH_1(sqrt, )
KILN_MATH_1(floor, )
KILN_MATH_1(ceil, )
KILN_MATH_1(trunc, )
KILN_MATH_1(round, )
KILN_MATH_1(rint, )
KILN_MATH_1(nearbyint, )
KILN_MATH_1(fabs, )
KILN_MATH_1(tgamma, )
KILN_MATH_1(lgamma, )
KILN_MATH_1(logb, )
KILN_MATH_2(fmod, )
KILN_MATH_2(remainder, )
KILN_MATH_2(copysign, )
KILN_MATH_2(fdim, )
KILN_MATH_2(fmax, )
KILN_MATH_2(fmin, )
KILN_MATH_2(nextafter, )

extern "C" {
double fma(double, double, double) noexcept(true);
float fmaf(float, float, float) noexcept(true);
double ldexp(double, int) noexcept(true);
float ldexpf(float, int) noexcept(true);
double scalbn(double, int) noexcept(true);
float scalbnf(float, int) noexcept(true);
double frexp(double, int*) noexcept(true);
float frexpf(float, int*) noexcept(true);
double modf(double, double*) noexcept(true);
float modff(float, float*) noexcept(true);
int ilogb(double) noexcept(true);
int ilogbf(float) noexcept(true);
long lround(double) noexcept(true);
long lroundf(float) noexcept(true);
long lrint(double) noexcept(true);
long lrintf(float) noexcept(true);
long long llround(double) noexcept(true);
long long llroundf(float) noexcept(true);
long long llrint(double) noexcept(true);
long long llrintf(float) noexcept(true);
void sincos(double, double*, double*) noexcept(true);
void sincosf(float, float*, float*) noexcept(true);
double remquo(double, double, int*) noexcept(true);
float remquof(float, float, int*) noexcept(true);
double scalbln(double, long) noexcept(true);
float scalblnf(float, long) noexcept(true);
double nan(const char*) noexcept(true);
float nanf(const char*) noexcept(true);
int abs(int) noexcept(true);
long labs(long) noexcept(true);
long long llabs(long long) noexcept(true);
}

// libstdc++ before 14 has only some of these.
namespace std {
using ::acosf;
using ::acoshf;
using ::asinf;
using ::asinhf;
using ::atan2f;
using ::atanf;
using ::atanhf;
using ::cbrtf;
using ::ceilf;
using ::copysignf;
using ::cosf;
using ::coshf;
using ::erfcf;
using ::erff;
using ::exp2f;
using ::expf;
using ::expm1f;
using ::fabsf;
using ::fdimf;
using ::floorf;
using ::fmaf;
using ::fmaxf;
using ::fminf;
using ::fmodf;
using ::frexpf;
using ::hypotf;
using ::ilogbf;
using ::ldexpf;
using ::lgammaf;
using ::llrintf;
using ::llroundf;
using ::log10f;
using ::log1pf;
using ::log2f;
using ::logbf;
using ::logf;
using ::lrintf;
using ::lroundf;
using ::modff;
using ::nearbyintf;
using ::nextafterf;
using ::powf;
using ::remainderf;
using ::remquof;
using ::rintf;
using ::roundf;
using ::scalblnf;
using ::scalbnf;
using ::sinf;
using ::sinhf;
using ::sqrtf;
using ::tanf;
using ::tanhf;
using ::tgammaf;
using ::truncf;
}  // namespace std

template <KILN_ONLY(V, float)>
KILN_SHIM V fma(V x, V y, V z) {
  return fmaf(x, y, z);
}
template <KILN_ONLY(V, float)>
KILN_SHIM V ldexp(V x, int exponent) {
  return ldexpf(x, exponent);
}
template <KILN_ONLY(V, float)>
KILN_SHIM V pow(V x, int exponent) {
  return powf(x, static_cast<float>(exponent));
}
template <KILN_ONLY(V, float)>
KILN_SHIM V abs(V x) {
  return __builtin_fabsf(x);
}
template <KILN_ONLY(V, double), int = 0>
KILN_SHIM V abs(V x) {
  return __builtin_fabs(x);
}
template <KILN_ONLY(V, long), int = 0, int = 0>
KILN_SHIM V abs(V x) {
  return x < 0 ? -x : x;
}
template <KILN_ONLY(V, long long), int = 0, int = 0, int = 0>
KILN_SHIM V abs(V x) {
  return x < 0 ? -x : x;
}

template <class V>
struct KilnReal {};
template <>
struct KilnReal<float> {
  using type = int;
};
template <>
struct KilnReal<double> {
  using type = int;
};
#define KILN_CLASSIFY(name)                          \
  template <class V, typename KilnReal<V>::type = 0> \
  KILN_SHIM bool name(V x) {                         \
    return __builtin_##name(x);                      \
  }
KILN_CLASSIFY(isnan)
KILN_CLASSIFY(isinf)
KILN_CLASSIFY(isfinite)
KILN_CLASSIFY(signbit)

// ------------------------------------------------------------------------------------------ min and max

#define KILN_MIN_MAX(left, right, result)                                            \
  KILN_SHIM result min(left a, right b) {                                            \
    return static_cast<result>(b) < static_cast<result>(a) ? static_cast<result>(b)  \
                                                           : static_cast<result>(a); \
  }                                                                                  \
  KILN_SHIM result max(left a, right b) {                                            \
    return static_cast<result>(a) < static_cast<result>(b) ? static_cast<result>(b)  \
                                                           : static_cast<result>(a); \
  }
KILN_MIN_MAX(int, int, int)
KILN_MIN_MAX(unsigned int, unsigned int, unsigned int)
KILN_MIN_MAX(int, unsigned int, unsigned int)
KILN_MIN_MAX(unsigned int, int, unsigned int)
KILN_MIN_MAX(long, long, long)
KILN_MIN_MAX(unsigned long, unsigned long, unsigned long)
KILN_MIN_MAX(long, unsigned long, unsigned long)
KILN_MIN_MAX(unsigned long, long, unsigned long)
KILN_MIN_MAX(long long, long long, long long)
KILN_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
KILN_MIN_MAX(long long, unsigned long long, unsigned long long)
KILN_MIN_MAX(unsigned long long, long long, unsigned long long)

// CUDA's min and max of reals are fmin and fmax.
#define KILN_REAL_MIN_MAX(left, right, result, suffix) \
  KILN_SHIM result min(left a, right b) {              \
    return __builtin_fmin##suffix(a, b);               \
  }                                                    \
  KILN_SHIM result max(left a, right b) {              \
    return __builtin_fmax##suffix(a, b);               \
  }
KILN_REAL_MIN_MAX(float, float, float, f)
KILN_REAL_MIN_MAX(double, double, double, )
KILN_REAL_MIN_MAX(float, double, double, )
KILN_REAL_MIN_MAX(double, float, double, )

// ------------------------------------------------------------------------------------------ CUDA's own

#define KILN_PI 3.14159265358979323846

KILN_SHIM double rsqrt(double x) {
  return 1.0 / __builtin_sqrt(x);
}
KILN_SHIM float rsqrtf(float x) {
  return 1.0f / __builtin_sqrtf(x);
}
KILN_SHIM float rsqrt(float x) {
  return 1.0f / __builtin_sqrtf(x);
}
KILN_SHIM double rcbrt(double x) {
  return 1.0 / cbrt(x);
}
KILN_SHIM float rcbrtf(float x) {
  return 1.0f / cbrtf(x);
}
KILN_SHIM float rcbrt(float x) {
  return rcbrtf(x);
}
KILN_SHIM double rhypot(double x, double y) {
  return 1.0 / hypot(x, y);
}
KILN_SHIM float rhypotf(float x, float y) {
  return 1.0f / hypotf(x, y);
}
KILN_SHIM float rhypot(float x, float y) {
  return rhypotf(x, y);
}

/// The root of a sum of squares. Those of float are summed in double; those of double are scaled by a power
/// of two where they could overflow or lose digits.
KILN_SHIM double norm(int n, const double* p) {
  double most = 0.0, sum = 0.0;
  for (int i = 0; i < n; ++i) {
    most = __builtin_fmax(most, __builtin_fabs(p[i]));
    sum += p[i] * p[i];
  }
  if (most < 0x1p-480 ? most == 0.0 : most < 0x1p500) return __builtin_sqrt(sum);
  if (most == __builtin_inf()) return most;
  const double down = most < 1.0 ? 0x1p600 : 0x1p-600;
  sum = 0.0;
  for (int i = 0; i < n; ++i) sum += (down * p[i]) * (down * p[i]);
  return __builtin_sqrt(sum) / down;
}
KILN_SHIM double kiln_norm(int n, const float* p) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += static_cast<double>(p[i]) * static_cast<double>(p[i]);
  return __builtin_sqrt(sum);
}
KILN_SHIM double rnorm(int n, const double* p) {
  return 1.0 / norm(n, p);
}
KILN_SHIM float normf(int n, const float* p) {
  return static_cast<float>(kiln_norm(n, p));
}
KILN_SHIM float rnormf(int n, const float* p) {
  return static_cast<float>(1.0 / kiln_norm(n, p));
}
KILN_SHIM double norm3d(double x, double y, double z) {
  const double p[] = {x, y, z};
  return norm(3, p);
}
KILN_SHIM float norm3df(float x, float y, float z) {
  const float p[] = {x, y, z};
  return normf(3, p);
}
KILN_SHIM double rnorm3d(double x, double y, double z) {
  return 1.0 / norm3d(x, y, z);
}
KILN_SHIM float rnorm3df(float x, float y, float z) {
  const float p[] = {x, y, z};
  return rnormf(3, p);
}
KILN_SHIM double norm4d(double x, double y, double z, double w) {
  const double p[] = {x, y, z, w};
  return norm(4, p);
}
KILN_SHIM float norm4df(float x, float y, float z, float w) {
  const float p[] = {x, y, z, w};
  return normf(4, p);
}
KILN_SHIM double rnorm4d(double x, double y, double z, double w) {
  return 1.0 / norm4d(x, y, z, w);
}
KILN_SHIM float rnorm4df(float x, float y, float z, float w) {
  const float p[] = {x, y, z, w};
  return rnormf(4, p);
}
KILN_SHIM double normcdf(double x) {
  return 0.5 * erfc(-x * 0.70710678118654752440);
}
KILN_SHIM float normcdff(float x) {
  return static_cast<float>(normcdf(static_cast<double>(x)));
}

/// sin(pi x) and cos(pi x), with the argument first reduced exactly to [-1, 1], so that integers give 0 and
/// +-1.
KILN_SHIM double sinpi(double x) {
  const double r = x - 2.0 * __builtin_rint(0.5 * x);
  if (r == __builtin_rint(r)) return 0.0 * x;
  const double folded = r > 0.5 ? 1.0 - r : r < -0.5 ? -1.0 - r : r;
  return sin(KILN_PI * folded);
}
KILN_SHIM double cospi(double x) {
  const double r = __builtin_fabs(x - 2.0 * __builtin_rint(0.5 * x));
  if (r == 0.5) return 0.0;
  return r > 0.5 ? -cos(KILN_PI * (1.0 - r)) : cos(KILN_PI * r);
}
KILN_SHIM float sinpif(float x) {
  return static_cast<float>(sinpi(static_cast<double>(x)));
}
KILN_SHIM float cospif(float x) {
  return static_cast<float>(cospi(static_cast<double>(x)));
}
KILN_SHIM void sincospi(double x, double* s, double* c) {
  *s = sinpi(x);
  *c = cospi(x);
}
KILN_SHIM void sincospif(float x, float* s, float* c) {
  *s = sinpif(x);
  *c = cospif(x);
}
KILN_SHIM float normcdf(float x) {
  return normcdff(x);
}
KILN_SHIM float sinpi(float x) {
  return sinpif(x);
}
KILN_SHIM float cospi(float x) {
  return cospif(x);
}
KILN_SHIM void sincospi(float x, float* s, float* c) {
  sincospif(x, s, c);
}
template <KILN_ONLY(V, float)>
KILN_SHIM V modf(V x, V* whole) {
  return modff(x, whole);
}
template <KILN_ONLY(V, float)>
KILN_SHIM V remquo(V x, V y, int* quotient) {
  return remquof(x, y, quotient);
}
template <KILN_ONLY(V, float)>
KILN_SHIM void sincos(V x, V* s, V* c) {
  *s = sinf(x);
  *c = cosf(x);
}

#define CUDART_INF __builtin_inf()
#define CUDART_INF_F __builtin_inff()
#define CUDART_NAN __builtin_nan("")
#define CUDART_NAN_F __builtin_nanf("")
#define CUDART_PI KILN_PI
#define CUDART_PI_F 3.14159274f

// CUDA's own functions of one type.
#define KILN_INTEGER_MIN_MAX(prefix, type)     \
  KILN_SHIM type prefix##min(type a, type b) { \
    return b < a ? b : a;                      \
  }                                            \
  KILN_SHIM type prefix##max(type a, type b) { \
    return a < b ? b : a;                      \
  }
KILN_INTEGER_MIN_MAX(u, unsigned int)
KILN_INTEGER_MIN_MAX(ll, long long)
KILN_INTEGER_MIN_MAX(ull, unsigned long long)

#ifndef INFINITY
#define INFINITY __builtin_inff()
#endif
#ifndef NAN
#define NAN __builtin_nanf("")
#endif
// What <limits.h> and <math.h> define, which nvcc includes by itself.
#ifndef MAXFLOAT
#define MAXFLOAT __FLT_MAX__
#endif
#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif
#ifndef INT_MAX
#define CHAR_BIT __CHAR_BIT__
#define SHRT_MAX __SHRT_MAX__
#define SHRT_MIN (-SHRT_MAX - 1)
#define USHRT_MAX (SHRT_MAX * 2 + 1)
#define INT_MAX __INT_MAX__
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX (INT_MAX * 2U + 1U)
#define LONG_MAX __LONG_MAX__
#define LONG_MIN (-LONG_MAX - 1L)
#define ULONG_MAX (LONG_MAX * 2UL + 1UL)
#define LLONG_MAX __LONG_LONG_MAX__
#define LLONG_MIN (-LLONG_MAX - 1LL)
#define ULLONG_MAX (LLONG_MAX * 2ULL + 1ULL)
#endif
#ifndef UINT32_MAX
#define INT8_MAX (127)
#define INT8_MIN (-128)
#define INT16_MAX (32767)
#define INT16_MIN (-32767 - 1)
#define INT32_MAX (2147483647)
#define INT32_MIN (-2147483647 - 1)
#define INT64_MAX (__LONG_MAX__)
#define INT64_MIN (-__LONG_MAX__ - 1)
#define UINT8_MAX (255)
#define UINT16_MAX (65535)
#define UINT32_MAX (4294967295U)
#define UINT64_MAX (__LONG_MAX__ * 2UL + 1UL)
#endif
