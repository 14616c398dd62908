// The CUDA dialect for a host compiler: relations and kinds of real numbers, as <cmath> has them, and the
// names that glibc gives the latter. Templates, which the functions of <cmath> go before; `More` is empty.
#pragma once

#define KILN_RELATION(name)                                                                    \
  template <class A, class B, class... More, typename KilnReal<decltype(A() + B())>::type = 0> \
  KILN_SHIM bool name(A a, B b, More...) {                                                     \
    return __builtin_##name(static_cast<decltype(a + b)>(a), static_cast<decltype(a + b)>(b)); \
  }
KILN_RELATION(isgreater)
KILN_RELATION(isgreaterequal)
KILN_RELATION(isless)
KILN_RELATION(islessequal)
KILN_RELATION(islessgreater)
KILN_RELATION(isunordered)

KILN_CLASSIFY(isnormal)
template <class V, typename KilnReal<V>::type = 0>
KILN_SHIM int fpclassify(V x) {
  return __builtin_fpclassify(0, 1, 4, 3, 2, x);  // glibc's FP_NAN, FP_INFINITE, FP_NORMAL, ...
}

extern "C" {
int __isnan(double) noexcept(true);
int __isnanf(float) noexcept(true);
int __isinf(double) noexcept(true);
int __isinff(float) noexcept(true);
int __finite(double) noexcept(true);
int __finitef(float) noexcept(true);
double nexttoward(double, long double) noexcept(true);
float nexttowardf(float, long double) noexcept(true);
}
