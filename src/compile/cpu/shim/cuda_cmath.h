// <cuda/cmath> for a host compiler: arithmetic of whole numbers.
#pragma once

#include "kiln/cuda_std.h"

namespace cuda {
template <class A, class B>
constexpr auto ceil_div(A a, B b) {
  using T = ::std::common_type_t<A, B>;
  const T x = static_cast<T>(a), y = static_cast<T>(b);
  return static_cast<T>(x / y + (x % y != 0 ? 1 : 0));
}
template <class A, class B>
constexpr auto round_down(A a, B b) {
  using T = ::std::common_type_t<A, B>;
  return static_cast<T>(static_cast<T>(a) / static_cast<T>(b) * static_cast<T>(b));
}
template <class A, class B>
constexpr auto round_up(A a, B b) {
  using T = ::std::common_type_t<A, B>;
  return static_cast<T>(ceil_div(a, b) * static_cast<T>(b));
}
template <class T>
constexpr bool is_power_of_two(T x) {
  return x > 0 && (x & (x - 1)) == 0;
}
/// The largest whole power of 2 that is not above x; x is positive.
template <class T>
constexpr int ilog2(T x) {
  return 63 - __builtin_clzll(static_cast<unsigned long long>(x));
}
template <class T>
constexpr int ceil_ilog2(T x) {
  return ilog2(x) + (is_power_of_two(x) ? 0 : 1);
}
template <class T>
constexpr int ilog10(T x) {
  int digits = 0;
  for (x /= 10; x > 0; x /= 10) ++digits;
  return digits;
}
template <class T>
constexpr T next_power_of_two(T x) {
  return x <= 1 ? T(1) : static_cast<T>(T(1) << ceil_ilog2(x));
}
template <class T>
constexpr T prev_power_of_two(T x) {
  return x == 0 ? T(0) : static_cast<T>(T(1) << ilog2(x));
}
template <class T>
constexpr T isqrt(T x) {
  T root = 0;
  for (int bit = x > 0 ? ilog2(x) / 2 : -1; bit >= 0; --bit) {
    const T more = static_cast<T>(root | (T(1) << bit));
    if (more <= x / more) root = more;
  }
  return root;
}
template <class T, class E>
constexpr T ipow(T base, E exponent) {
  T result = 1;
  for (; exponent > 0; --exponent) result = static_cast<T>(result * base);
  return result;
}
}  // namespace cuda
