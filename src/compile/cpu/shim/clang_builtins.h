// The CUDA dialect for a host compiler: built-in functions of clang, which HIP's texts use, for g++.
#pragma once

#if !defined(__clang__)
#define KILN_ROTATION(bits, type)                                                                     \
  KILN_SHIM type __builtin_rotateleft##bits(type x, type by) {                                        \
    const unsigned n = static_cast<unsigned>(by) % bits;                                              \
    return static_cast<type>(n == 0 ? x : static_cast<type>(x << n) | (x >> (bits - n)));             \
  }                                                                                                   \
  KILN_SHIM type __builtin_rotateright##bits(type x, type by) {                                       \
    return __builtin_rotateleft##bits(x, static_cast<type>(bits - static_cast<unsigned>(by) % bits)); \
  }                                                                                                   \
  KILN_SHIM type __builtin_bitreverse##bits(type x) {                                                 \
    type result = 0;                                                                                  \
    for (int i = 0; i < bits; ++i, x = static_cast<type>(x >> 1))                                     \
      result = static_cast<type>(result << 1 | (x & 1));                                              \
    return result;                                                                                    \
  }
KILN_ROTATION(8, unsigned char)
KILN_ROTATION(16, unsigned short)
KILN_ROTATION(32, unsigned)
KILN_ROTATION(64, unsigned long long)

// Of numbers; of a number and NaN the number is taken, as by fmax. max and min take vectors of g++, too.
// Templates, as g++ has one function of a name that begins like this.
template <class V>
KILN_SHIM V __builtin_elementwise_max(V a, V b) {
  if constexpr (__is_same(V, float))
    return __builtin_fmaxf(a, b);
  else if constexpr (__is_same(V, double))
    return __builtin_fmax(a, b);
  else
    return a < b ? b : a;
}
template <class V>
KILN_SHIM V __builtin_elementwise_min(V a, V b) {
  if constexpr (__is_same(V, float))
    return __builtin_fminf(a, b);
  else if constexpr (__is_same(V, double))
    return __builtin_fmin(a, b);
  else
    return b < a ? b : a;
}
template <class V>
KILN_SHIM V __builtin_elementwise_abs(V x) {
  if constexpr (__is_same(V, float) || __is_same(V, double))
    return static_cast<V>(__builtin_fabs(x));
  else
    return x < 0 ? static_cast<V>(-x) : x;
}
#define KILN_ELEMENTWISE(name, function)             \
  template <class V, typename KilnReal<V>::type = 0> \
  KILN_SHIM V __builtin_elementwise_##name(V x) {    \
    return static_cast<V>(__builtin_##function(x));  \
  }
KILN_ELEMENTWISE(ceil, ceil)
KILN_ELEMENTWISE(floor, floor)
KILN_ELEMENTWISE(trunc, trunc)
KILN_ELEMENTWISE(roundeven, rint)
#endif
