// The CUDA dialect for a host compiler: arithmetic and conversions that round down (_rd), up (_ru) or towards
// zero (_rz). A result near the exact one is compared with it in a type that holds enough digits, and moves
// to its neighbour where it is on the wrong side: `double` for float, 113 bits of software for double, some
// 50 times slower than an addition.
#pragma once

#if !defined(KILN_SQRT)
#define KILN_SQRT(x) __builtin_sqrt(x)
#endif

namespace kiln::rounding {

template <class V>
struct Wider {
  using type = double;
};
#if !defined(KILN_NO_WIDE_NUMBERS)
#if defined(__SIZEOF_FLOAT128__)
typedef __float128 Quad;
#else
typedef long double Quad;
#endif
template <>
struct Wider<double> {
  using type = Quad;
};
#endif

enum class To { kDown, kUp, kZero };

KILN_SHIM float neighbour(float x, bool up) {
  const int word = __builtin_bit_cast(int, x);
  if (x == 0.0f) return __builtin_bit_cast(float, up ? 1 : static_cast<int>(0x80000001u));
  return __builtin_bit_cast(float, word + ((word < 0) == up ? -1 : 1));
}
KILN_SHIM double neighbour(double x, bool up) {
  const long long word = __builtin_bit_cast(long long, x);
  if (x == 0.0) return __builtin_bit_cast(double, up ? 1ll : static_cast<long long>(0x8000000000000001ull));
  return __builtin_bit_cast(double, word + ((word < 0) == up ? -1 : 1));
}

/// `near` is `exact` or on one side of it with no number between; `rest` has the sign of exact - near.
template <To D, class V>
KILN_SHIM V moved(V near, int rest) {
  const bool zero_or_more = near > 0 || (near == 0 && rest > 0);
  const bool down = D == To::kDown || (D == To::kZero && zero_or_more);
  const bool up = D == To::kUp || (D == To::kZero && !zero_or_more);
  return down && rest < 0 ? neighbour(near, false) : up && rest > 0 ? neighbour(near, true) : near;
}

template <class W>
KILN_SHIM int order(W a, W b) {
  return a > b ? 1 : a < b ? -1 : 0;
}

template <To D, class V, class W>
KILN_SHIM V narrowed(W exact) {
  const V near = static_cast<V>(exact);
  return moved<D>(near, order(exact, static_cast<W>(near)));
}

/// a + b of a wide type, with the error of its addition.
template <To D, class V, class W>
KILN_SHIM V sum(W a, W b) {
  const W wide = KILN_AS_WRITTEN(a + b);
  const W part = KILN_AS_WRITTEN(wide - a);
  const W error = KILN_AS_WRITTEN(a - KILN_AS_WRITTEN(wide - part)) + KILN_AS_WRITTEN(b - part);
  const V near = static_cast<V>(wide);
  if (wide == 0 && D == To::kDown) {  // unlike in other directions, x - x is -0
    const bool positive = !__builtin_signbit(static_cast<V>(a)) && !__builtin_signbit(static_cast<V>(b));
    return positive ? V(0) : -V(0);
  }
  const int rest = order(wide, static_cast<W>(near));
  return moved<D>(near, rest != 0 ? rest : order(error, W(0)));
}

template <To D, class V>
KILN_SHIM V add(V a, V b) {
  using W = typename Wider<V>::type;
  return sum<D, V>(static_cast<W>(a), static_cast<W>(b));
}
template <To D, class V>
KILN_SHIM V multiply(V a, V b) {
  using W = typename Wider<V>::type;
  return narrowed<D, V>(static_cast<W>(a) * static_cast<W>(b));
}
template <To D, class V>
KILN_SHIM V multiply_add(V a, V b, V c) {
  using W = typename Wider<V>::type;
  return sum<D, V>(static_cast<W>(a) * static_cast<W>(b), static_cast<W>(c));
}
template <To D, class V>
KILN_SHIM V divide(V a, V b) {
  using W = typename Wider<V>::type;
  const V near = static_cast<V>(static_cast<W>(a) / static_cast<W>(b));
  const int rest = order(static_cast<W>(a), static_cast<W>(near) * static_cast<W>(b));
  return moved<D>(near, b < 0 ? -rest : rest);
}
template <To D, class V>
KILN_SHIM V root(V a) {
  using W = typename Wider<V>::type;
  const V near = static_cast<V>(KILN_SQRT(static_cast<double>(a)));
  return moved<D>(near, order(static_cast<W>(a), static_cast<W>(near) * static_cast<W>(near)));
}

}  // namespace kiln::rounding

#define KILN_DIRECTED_OF(prefix, type, suffix, direction)                     \
  KILN_SHIM type prefix##add_##suffix(type x, type y) {                       \
    return kiln::rounding::add<kiln::rounding::To::direction>(x, y);          \
  }                                                                           \
  KILN_SHIM type prefix##sub_##suffix(type x, type y) {                       \
    return kiln::rounding::add<kiln::rounding::To::direction>(x, -y);         \
  }                                                                           \
  KILN_SHIM type prefix##mul_##suffix(type x, type y) {                       \
    return kiln::rounding::multiply<kiln::rounding::To::direction>(x, y);     \
  }                                                                           \
  KILN_SHIM type prefix##div_##suffix(type x, type y) {                       \
    return kiln::rounding::divide<kiln::rounding::To::direction>(x, y);       \
  }                                                                           \
  KILN_SHIM type prefix##rcp_##suffix(type x) {                               \
    return kiln::rounding::divide<kiln::rounding::To::direction>(type(1), x); \
  }                                                                           \
  KILN_SHIM type prefix##sqrt_##suffix(type x) {                              \
    return kiln::rounding::root<kiln::rounding::To::direction>(x);            \
  }
#define KILN_DIRECTED_CONVERSION(name, from, wide, to, direction)                             \
  KILN_SHIM to name(from x) {                                                                 \
    return kiln::rounding::narrowed<kiln::rounding::To::direction, to>(static_cast<wide>(x)); \
  }
#define KILN_DIRECTED(suffix, direction)                                              \
  KILN_DIRECTED_OF(__f, float, suffix, direction)                                     \
  KILN_SHIM float __fmaf_##suffix(float x, float y, float z) {                        \
    return kiln::rounding::multiply_add<kiln::rounding::To::direction>(x, y, z);      \
  }                                                                                   \
  KILN_SHIM float __fmaf_ieee_##suffix(float x, float y, float z) {                   \
    return kiln::rounding::multiply_add<kiln::rounding::To::direction>(x, y, z);      \
  }                                                                                   \
  KILN_DIRECTED_CONVERSION(__double2float_##suffix, double, double, float, direction) \
  KILN_DIRECTED_CONVERSION(__int2float_##suffix, int, double, float, direction)       \
  KILN_DIRECTED_CONVERSION(__uint2float_##suffix, unsigned, double, float, direction)
KILN_DIRECTED(rd, kDown)
KILN_DIRECTED(ru, kUp)
KILN_DIRECTED(rz, kZero)
#if !defined(KILN_NO_WIDE_NUMBERS)  // a GPU has no type of 113 bits
#define KILN_DIRECTED_WIDE(suffix, direction)                                                                \
  KILN_DIRECTED_OF(__d, double, suffix, direction)                                                           \
  KILN_SHIM double __fma_##suffix(double x, double y, double z) {                                            \
    return kiln::rounding::multiply_add<kiln::rounding::To::direction>(x, y, z);                             \
  }                                                                                                          \
  KILN_DIRECTED_CONVERSION(__ll2float_##suffix, long long, kiln::rounding::Quad, float, direction)           \
  KILN_DIRECTED_CONVERSION(__ull2float_##suffix, unsigned long long, kiln::rounding::Quad, float, direction) \
  KILN_DIRECTED_CONVERSION(__ll2double_##suffix, long long, kiln::rounding::Quad, double, direction)         \
  KILN_DIRECTED_CONVERSION(__ull2double_##suffix, unsigned long long, kiln::rounding::Quad, double, direction)
KILN_DIRECTED_WIDE(rd, kDown)
KILN_DIRECTED_WIDE(ru, kUp)
KILN_DIRECTED_WIDE(rz, kZero)
#endif
