// The CUDA dialect for a host compiler: functions that CUDA's math library has and C's has not. Those of
// float are computed in double.
#pragma once

#define KILN_SPECIAL_FUNCTIONS

KILN_MATH_1(j0, )
KILN_MATH_1(j1, )
KILN_MATH_1(y0, )
KILN_MATH_1(y1, )
extern "C" {
double jn(int, double) noexcept(true);
float jnf(int, float) noexcept(true);
double yn(int, double) noexcept(true);
float ynf(int, float) noexcept(true);
}

/// A quantile of the normal distribution, 0 < p < 0.5, to a relative 4.5e-4. (Abramowitz and Stegun, 26.2.23)
KILN_SHIM double kiln_rough_quantile(double p) {
  const double t = __builtin_sqrt(-2.0 * log(p));
  return (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))) -
         t;
}
/// x with erfc(x) = y, 0 < y < 1: three steps of Halley's method.
KILN_SHIM double kiln_positive_erfcinv(double y) {
  double x = -kiln_rough_quantile(0.5 * y) * 0.70710678118654752440;
  for (int i = 0; i < 3; ++i) {
    const double excess = erfc(x) - y;
    const double step = excess / (-1.12837916709551257390 * exp(-x * x));
    x -= step / (1.0 + x * step);
  }
  return x;
}
KILN_SHIM double erfcinv(double y) {
  if (!(y > 0.0 && y < 2.0))
    return y == 0.0 ? __builtin_inf() : y == 2.0 ? -__builtin_inf() : __builtin_nan("");
  if (y > 0.5 && y < 1.5) {  // erf has the digits there
    const double wanted = 1.0 - y;
    double x = 0.88622692545275801365 * wanted * (1.0 + 0.26179938779914943654 * wanted * wanted);
    for (int i = 0; i < 4; ++i) {
      const double step = (erf(x) - wanted) / (1.12837916709551257390 * exp(-x * x));
      x -= step / (1.0 + x * step);
    }
    return x;
  }
  return y <= 0.5 ? kiln_positive_erfcinv(y) : -kiln_positive_erfcinv(2.0 - y);
}
KILN_SHIM double erfinv(double y) {
  const double size = __builtin_fabs(y);
  if (size < 1e-8) return 0.88622692545275801365 * y;
  if (size > 0.5) return __builtin_copysign(erfcinv(1.0 - size), y);
  double x = 0.88622692545275801365 * y * (1.0 + 0.26179938779914943654 * y * y);
  for (int i = 0; i < 4; ++i) {
    const double step = (erf(x) - y) / (1.12837916709551257390 * exp(-x * x));
    x -= step / (1.0 + x * step);
  }
  return x;
}
KILN_SHIM double normcdfinv(double p) {
  return -1.41421356237309504880 * erfcinv(2.0 * p);
}

/// exp(x^2) erfc(x); from 10 on by its continued fraction (Abramowitz and Stegun, 7.1.14).
KILN_SHIM double erfcx(double x) {
  if (x < 10.0) {
    const double square = x * x;
    const double rest = __builtin_fma(x, x, -square);  // what the product lost
    const double factor = exp(square);
    return factor == __builtin_inf() ? factor : factor * erfc(x) * (1.0 + rest);
  }
  double fraction = x;
  for (int k = 24; k > 0; --k) fraction = x + 0.5 * k / fraction;
  return 0.56418958354775628695 / fraction;
}

/// Modified Bessel functions of the first kind, of order 0 and 1: the power series up to 25, the expansion
/// for large arguments beyond. (Abramowitz and Stegun, 9.6.10 and 9.7.1)
KILN_SHIM double kiln_bessel_i(int order, double size) {
  if (size <= 25.0) {
    const double quarter = 0.25 * size * size;
    double term = order == 0 ? 1.0 : 0.5 * size, sum = term;
    for (int k = 1; term > 1e-18 * sum; ++k) {
      term *= quarter / (static_cast<double>(k) * (k + order));
      sum += term;
    }
    return sum;
  }
  const double half = exp(0.5 * size);  // its square may be infinite where the result is not
  double term = 1.0, sum = 1.0;
  for (int k = 1; k < 40; ++k) {
    const double odd = 2.0 * k - 1.0;
    const double next = term * (odd * odd - 4.0 * order) / (8.0 * k * size);
    if (!(__builtin_fabs(next) < __builtin_fabs(term)) || next == 0.0) break;
    term = next;
    sum += term;
  }
  return half * (sum / __builtin_sqrt(2.0 * KILN_PI * size)) * half;
}
KILN_SHIM double cyl_bessel_i0(double x) {
  return __builtin_isinf(x) ? __builtin_inf() : kiln_bessel_i(0, __builtin_fabs(x));
}
KILN_SHIM double cyl_bessel_i1(double x) {
  return __builtin_isinf(x) ? x : __builtin_copysign(kiln_bessel_i(1, __builtin_fabs(x)), x);
}

#define KILN_SPECIAL(name)                                   \
  KILN_SHIM float name##f(float x) {                         \
    return static_cast<float>(name(static_cast<double>(x))); \
  }                                                          \
  KILN_SHIM float name(float x) {                            \
    return name##f(x);                                       \
  }
KILN_SPECIAL(erfcinv)
KILN_SPECIAL(erfinv)
KILN_SPECIAL(normcdfinv)
KILN_SPECIAL(erfcx)
KILN_SPECIAL(cyl_bessel_i0)
KILN_SPECIAL(cyl_bessel_i1)
KILN_SHIM float jn(int n, float x) {
  return jnf(n, x);
}
KILN_SHIM float yn(int n, float x) {
  return ynf(n, x);
}
