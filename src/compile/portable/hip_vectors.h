// What HIP's language has and CUDA's has not: arithmetic of float4 and the other vectors, element by element,
// with a vector or a number on either side; atomicMax and atomicMin of real numbers; functions that AMD's
// compiler has built in. A text's own functions win, as these are templates. For HIP texts on the cpu and on
// cuda.
#ifndef KILN_HIP_FUNCTION  // NVRTC reads a header in memory again in spite of `#pragma once`

#include <cuda_runtime.h>

#if defined(KILN_SHIM)
#define KILN_HIP_FUNCTION KILN_SHIM
#else
#define KILN_HIP_FUNCTION static __device__ __forceinline__
#endif

namespace kiln_hip {

template <class V>
struct Vector {
  static constexpr int kCount = 0;
};
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

template <class A, class B>
struct Same {
  static constexpr bool kValue = false;
};
template <class A>
struct Same<A, A> {
  static constexpr bool kValue = true;
};

/// `float4(1.0f)`, which fills all elements, `float4(1, 2, 3, 4)` and `float4(other)`.
template <class V, class A, class... Others>
KILN_HIP_FUNCTION V made(const A& first, const Others&... others) {
  if constexpr (sizeof...(Others) > 0) {
    return V{static_cast<Scalar<V>>(first), static_cast<Scalar<V>>(others)...};
  } else if constexpr (Same<A, V>::kValue) {
    return first;
  } else if constexpr (Vector<A>::kCount > 0) {
    V result;
    result.x = static_cast<Scalar<V>>(first.x);
    if constexpr (Vector<V>::kCount > 1) result.y = static_cast<Scalar<V>>(first.y);
    if constexpr (Vector<V>::kCount > 2) result.z = static_cast<Scalar<V>>(first.z);
    if constexpr (Vector<V>::kCount > 3) result.w = static_cast<Scalar<V>>(first.w);
    return result;
  } else {
    return filled<V>(static_cast<Scalar<V>>(first));
  }
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

namespace kiln_hip {

/// Bits [offset, offset + width) with the sign of the last one.
template <class I>
KILN_HIP_FUNCTION int signed_field(I value, unsigned offset, unsigned width) {
  offset &= 31u;
  width &= 31u;
  if (width == 0) return 0;
  const int word = static_cast<int>(value);
  if (offset + width >= 32u) return word >> offset;
  return static_cast<int>(static_cast<unsigned>(word) << (32u - offset - width)) >> (32u - width);
}

/// Each byte of `selector` chooses one of `a` (4 to 7) or `b` (0 to 3), the sign of an upper byte of one of
/// their halves (8 to 11), 0 (12) or 255.
template <class I>
KILN_HIP_FUNCTION unsigned permuted_bytes(I a, I b, unsigned selector) {
  const unsigned long long both =
      static_cast<unsigned long long>(static_cast<unsigned>(a)) << 32 | static_cast<unsigned>(b);
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned chosen = selector >> (8 * i) & 255u;
    unsigned byte = 255;
    if (chosen < 8)
      byte = static_cast<unsigned>(both >> (8 * chosen)) & 255u;
    else if (chosen < 12)
      byte = (both >> (16 * (chosen - 8) + 15) & 1u) != 0 ? 255u : 0u;
    else if (chosen == 12)
      byte = 0;
    result |= byte << (8 * i);
  }
  return result;
}

template <class T>
KILN_HIP_FUNCTION T median(T a, T b, T c) {
  const T low = a < b ? a : b, high = a < b ? b : a;
  return c < low ? low : c > high ? high : c;
}

/// The lane of a warp of 32 from which `control` of a DPP operation takes a value; -1: from none.
template <class I>
KILN_HIP_FUNCTION int lane_of_dpp(I lane, int control) {
  const int in_row = lane & 15, row = lane & ~15, distance = control & 15;
  if (control < 0x100) return (lane & ~3) | (control >> (2 * (lane & 3)) & 3);
  if (control > 0x100 && control < 0x110) return in_row + distance < 16 ? lane + distance : -1;
  if (control > 0x110 && control < 0x120) return in_row >= distance ? lane - distance : -1;
  if (control > 0x120 && control < 0x130) return row | ((in_row - distance) & 15);
  if (control == 0x130) return lane < 31 ? lane + 1 : -1;
  if (control == 0x134) return (lane + 1) & 31;
  if (control == 0x138) return lane - 1;
  if (control == 0x13c) return (lane - 1) & 31;
  if (control == 0x140) return row | (15 - in_row);
  if (control == 0x141) return (lane & ~7) | (7 - (lane & 7));
  if (control == 0x142) return row - 1;  // the last lane of the row before
  if (control >= 0x150 && control < 0x160) return row | distance;
  if (control >= 0x160 && control < 0x170) return row | (in_row ^ distance);
  return -1;
}

template <class Old, class T>
KILN_HIP_FUNCTION T lanes_by_dpp(Old old, T value, int control, int row_mask, int bank_mask,
                                 bool zero_outside) {
  const unsigned lanes = __activemask();
  const int lane =
      static_cast<int>((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31u);
  const int source = lane_of_dpp(lane, control);
  const T taken = __shfl_sync(lanes, value, source < 0 ? lane : source);
  const bool chosen = (row_mask >> (lane / 16) & 1) != 0 && (bank_mask >> (lane / 4 % 4) & 1) != 0;
  const bool there = source >= 0 && (lanes >> source & 1u) != 0;
  if (!chosen) return static_cast<T>(old);
  return there ? taken : zero_outside ? static_cast<T>(0) : static_cast<T>(old);
}

/// `__builtin_amdgcn_ds_swizzle`.
template <class T>
KILN_HIP_FUNCTION T lanes_by_swizzle(T value, int pattern) {
  const unsigned lanes = __activemask();
  const int lane =
      static_cast<int>((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31u);
  const int by_masks = ((lane & pattern) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31);
  const int in_quad = (lane & ~3) | (pattern >> (2 * (lane & 3)) & 3);
  return __shfl_sync(lanes, value, (pattern & 0x8000) != 0 ? in_quad : by_masks & 31);
}

}  // namespace kiln_hip

#endif
