// What HIP's language has and CUDA's has not: arithmetic of float4 and the other vectors, element by element,
// with a vector or a number on either side; atomicMax and atomicMin of real numbers. A text's own functions
// win, as these are templates. For HIP texts on the cpu and on cuda.
#ifndef KILN_HIP_FUNCTION  // NVRTC reads a header in memory again in spite of `#pragma once`

#include <cuda_runtime.h>

#if defined(KILN_SHIM)
#define KILN_HIP_FUNCTION KILN_SHIM
#else
#define KILN_HIP_FUNCTION static __device__ __forceinline__
#endif

namespace kiln_hip {

template <class V>
struct Vector {};
#define KILN_HIP_TYPE(name, scalar, count)                                            \
  template <>                                                                         \
  struct Vector<name##count> {                                                        \
    using Scalar = scalar;                                                            \
    static constexpr int kCount = count;                                              \
    static constexpr bool kReal = static_cast<scalar>(0.5) != static_cast<scalar>(0); \
  };
#define KILN_HIP_TYPES(name, scalar) \
  KILN_HIP_TYPE(name, scalar, 1)     \
  KILN_HIP_TYPE(name, scalar, 2)     \
  KILN_HIP_TYPE(name, scalar, 3)     \
  KILN_HIP_TYPE(name, scalar, 4)
KILN_HIP_TYPES(char, signed char)
KILN_HIP_TYPES(uchar, unsigned char)
KILN_HIP_TYPES(short, short)
KILN_HIP_TYPES(ushort, unsigned short)
KILN_HIP_TYPES(int, int)
KILN_HIP_TYPES(uint, unsigned int)
KILN_HIP_TYPES(long, long)
KILN_HIP_TYPES(ulong, unsigned long)
KILN_HIP_TYPES(longlong, long long)
KILN_HIP_TYPES(ulonglong, unsigned long long)
KILN_HIP_TYPES(float, float)
KILN_HIP_TYPES(double, double)
#undef KILN_HIP_TYPES
#undef KILN_HIP_TYPE

template <class V>
using Scalar = typename Vector<V>::Scalar;

template <bool Whole, class V>
struct OnlyIf {};
template <class V>
struct OnlyIf<true, V> {
  using Type = V;
};
/// V, where its elements are whole numbers.
template <class V>
using Whole = typename OnlyIf<!Vector<V>::kReal, V>::Type;

/// All elements of a vector are the number.
template <class V>
KILN_HIP_FUNCTION V filled(Scalar<V> value) {
  V result;
  result.x = value;
  if constexpr (Vector<V>::kCount > 1) result.y = value;
  if constexpr (Vector<V>::kCount > 2) result.z = value;
  if constexpr (Vector<V>::kCount > 3) result.w = value;
  return result;
}

}  // namespace kiln_hip

// `Result` is V, or kiln_hip::Whole<V> for operators of whole numbers. No operator uses another one, which
// the text may have with another result.
#define KILN_HIP_BINARY(name, sign, assign, Result)                                  \
  namespace kiln_hip {                                                               \
  template <class V>                                                                 \
  KILN_HIP_FUNCTION V name(V a, const V& b) {                                        \
    a.x = static_cast<Scalar<V>>(a.x sign b.x);                                      \
    if constexpr (Vector<V>::kCount > 1) a.y = static_cast<Scalar<V>>(a.y sign b.y); \
    if constexpr (Vector<V>::kCount > 2) a.z = static_cast<Scalar<V>>(a.z sign b.z); \
    if constexpr (Vector<V>::kCount > 3) a.w = static_cast<Scalar<V>>(a.w sign b.w); \
    return a;                                                                        \
  }                                                                                  \
  }                                                                                  \
  template <class V, class = kiln_hip::Scalar<V>>                                    \
  KILN_HIP_FUNCTION Result& operator assign(V& a, const V& b) {                      \
    return a = kiln_hip::name(a, b);                                                 \
  }                                                                                  \
  template <class V>                                                                 \
  KILN_HIP_FUNCTION Result& operator assign(V& a, kiln_hip::Scalar<V> b) {           \
    return a = kiln_hip::name(a, kiln_hip::filled<V>(b));                            \
  }                                                                                  \
  template <class V, class = kiln_hip::Scalar<V>>                                    \
  KILN_HIP_FUNCTION Result operator sign(const V& a, const V& b) {                   \
    return kiln_hip::name(a, b);                                                     \
  }                                                                                  \
  template <class V>                                                                 \
  KILN_HIP_FUNCTION Result operator sign(const V& a, kiln_hip::Scalar<V> b) {        \
    return kiln_hip::name(a, kiln_hip::filled<V>(b));                                \
  }                                                                                  \
  template <class V>                                                                 \
  KILN_HIP_FUNCTION Result operator sign(kiln_hip::Scalar<V> a, const V& b) {        \
    return kiln_hip::name(kiln_hip::filled<V>(a), b);                                \
  }
KILN_HIP_BINARY(sum, +, +=, V)
KILN_HIP_BINARY(difference, -, -=, V)
KILN_HIP_BINARY(product, *, *=, V)
KILN_HIP_BINARY(quotient, /, /=, V)
KILN_HIP_BINARY(rest, %, %=, kiln_hip::Whole<V>)
KILN_HIP_BINARY(both, &, &=, kiln_hip::Whole<V>)
KILN_HIP_BINARY(either, |, |=, kiln_hip::Whole<V>)
KILN_HIP_BINARY(one_of, ^, ^=, kiln_hip::Whole<V>)
KILN_HIP_BINARY(left, <<, <<=, kiln_hip::Whole<V>)
KILN_HIP_BINARY(right, >>, >>=, kiln_hip::Whole<V>)
#undef KILN_HIP_BINARY

#define KILN_HIP_STEP(sign, name)                                                           \
  template <class V, class = kiln_hip::Scalar<V>>                                           \
  KILN_HIP_FUNCTION V& operator sign(V& a) {                                                \
    return a = kiln_hip::name(a, kiln_hip::filled<V>(static_cast<kiln_hip::Scalar<V>>(1))); \
  }                                                                                         \
  template <class V, class = kiln_hip::Scalar<V>>                                           \
  KILN_HIP_FUNCTION V operator sign(V& a, int) {                                            \
    const V before = a;                                                                     \
    a = kiln_hip::name(a, kiln_hip::filled<V>(static_cast<kiln_hip::Scalar<V>>(1)));        \
    return before;                                                                          \
  }
KILN_HIP_STEP(++, sum)
KILN_HIP_STEP(--, difference)
#undef KILN_HIP_STEP

template <class V, class = kiln_hip::Scalar<V>>
KILN_HIP_FUNCTION V operator-(const V& a) {
  return kiln_hip::product(a, kiln_hip::filled<V>(static_cast<kiln_hip::Scalar<V>>(-1)));
}
template <class V, class = kiln_hip::Scalar<V>>
KILN_HIP_FUNCTION kiln_hip::Whole<V> operator~(const V& a) {
  return kiln_hip::one_of(a, kiln_hip::filled<V>(static_cast<kiln_hip::Scalar<V>>(-1)));
}
template <class V, class = kiln_hip::Scalar<V>>
KILN_HIP_FUNCTION bool operator==(const V& a, const V& b) {
  bool equal = a.x == b.x;
  if constexpr (kiln_hip::Vector<V>::kCount > 1) equal = equal && a.y == b.y;
  if constexpr (kiln_hip::Vector<V>::kCount > 2) equal = equal && a.z == b.z;
  if constexpr (kiln_hip::Vector<V>::kCount > 3) equal = equal && a.w == b.w;
  return equal;
}
template <class V, class = kiln_hip::Scalar<V>>
KILN_HIP_FUNCTION bool operator!=(const V& a, const V& b) {
  return !(a == b);
}

namespace kiln_hip {

template <class T>
struct Bits {};
template <>
struct Bits<float> {
  using Type = unsigned int;
};
template <>
struct Bits<double> {
  using Type = unsigned long long;
};

/// Stores `value` where `better(value, *address)`, and gives what was there. NaN is never stored.
template <class T, class Better>
KILN_HIP_FUNCTION T atomic_best(T* address, T value, Better better) {
  using Word = typename Bits<T>::Type;
  Word* const word = reinterpret_cast<Word*>(address);
  Word now = *static_cast<volatile Word*>(word);
  for (;;) {
    const T old = reinterpret_cast<const T&>(now);
    if (!better(value, old)) return old;
    const Word seen = atomicCAS(word, now, reinterpret_cast<const Word&>(value));
    if (seen == now) return old;
    now = seen;
  }
}

}  // namespace kiln_hip

template <class T, class = typename kiln_hip::Bits<T>::Type>
KILN_HIP_FUNCTION T atomicMax(T* address, T value) {
  return kiln_hip::atomic_best(address, value, [](T a, T b) { return a > b; });
}
template <class T, class = typename kiln_hip::Bits<T>::Type>
KILN_HIP_FUNCTION T atomicMin(T* address, T value) {
  return kiln_hip::atomic_best(address, value, [](T a, T b) { return a < b; });
}

#endif
