// HIP's operators of vectors for other compilers: element by element, with a vector or a number on either
// side. Templates, which operators of the text's own go before.
#pragma once
#include <cuda_runtime.h>

namespace kiln_hip {
template <class V>
struct Vector {};
#define KILN_HIP_VECTOR(name, type, count) \
  template <>                              \
  struct Vector<name##count> {             \
    using element = type;                  \
    static constexpr int size = count;     \
  };
#define KILN_HIP_VECTORS(name, type) \
  KILN_HIP_VECTOR(name, type, 1)     \
  KILN_HIP_VECTOR(name, type, 2)     \
  KILN_HIP_VECTOR(name, type, 3)     \
  KILN_HIP_VECTOR(name, type, 4)
KILN_HIP_VECTORS(char, signed char)
KILN_HIP_VECTORS(uchar, unsigned char)
KILN_HIP_VECTORS(short, short)
KILN_HIP_VECTORS(ushort, unsigned short)
KILN_HIP_VECTORS(int, int)
KILN_HIP_VECTORS(uint, unsigned int)
KILN_HIP_VECTORS(long, long)
KILN_HIP_VECTORS(ulong, unsigned long)
KILN_HIP_VECTORS(longlong, long long)
KILN_HIP_VECTORS(ulonglong, unsigned long long)
KILN_HIP_VECTORS(float, float)
KILN_HIP_VECTORS(double, double)
}  // namespace kiln_hip

#define KILN_HIP_OPERATOR                                   \
  template <class V, int kSize = kiln_hip::Vector<V>::size> \
  __host__ __device__ inline
#define KILN_HIP_NUMBER typename kiln_hip::Vector<V>::element

#define KILN_HIP_BINARY(sign, compound)                             \
  KILN_HIP_OPERATOR V& operator compound(V& a, V b) {               \
    a.x compound b.x;                                               \
    if constexpr (kSize > 1) a.y compound b.y;                      \
    if constexpr (kSize > 2) a.z compound b.z;                      \
    if constexpr (kSize > 3) a.w compound b.w;                      \
    return a;                                                       \
  }                                                                 \
  KILN_HIP_OPERATOR V& operator compound(V& a, KILN_HIP_NUMBER b) { \
    a.x compound b;                                                 \
    if constexpr (kSize > 1) a.y compound b;                        \
    if constexpr (kSize > 2) a.z compound b;                        \
    if constexpr (kSize > 3) a.w compound b;                        \
    return a;                                                       \
  }                                                                 \
  KILN_HIP_OPERATOR V operator sign(V a, V b) {                     \
    return a compound b;                                            \
  }                                                                 \
  KILN_HIP_OPERATOR V operator sign(V a, KILN_HIP_NUMBER b) {       \
    return a compound b;                                            \
  }                                                                 \
  KILN_HIP_OPERATOR V operator sign(KILN_HIP_NUMBER a, V b) {       \
    b.x = a sign b.x;                                               \
    if constexpr (kSize > 1) b.y = a sign b.y;                      \
    if constexpr (kSize > 2) b.z = a sign b.z;                      \
    if constexpr (kSize > 3) b.w = a sign b.w;                      \
    return b;                                                       \
  }
KILN_HIP_BINARY(+, +=)
KILN_HIP_BINARY(-, -=)
KILN_HIP_BINARY(*, *=)
KILN_HIP_BINARY(/, /=)
KILN_HIP_BINARY(%, %=)
KILN_HIP_BINARY(&, &=)
KILN_HIP_BINARY(|, |=)
KILN_HIP_BINARY(^, ^=)
KILN_HIP_BINARY(<<, <<=)
KILN_HIP_BINARY(>>, >>=)

#define KILN_HIP_UNARY(sign)                 \
  KILN_HIP_OPERATOR V operator sign(V a) {   \
    a.x = sign a.x;                          \
    if constexpr (kSize > 1) a.y = sign a.y; \
    if constexpr (kSize > 2) a.z = sign a.z; \
    if constexpr (kSize > 3) a.w = sign a.w; \
    return a;                                \
  }
KILN_HIP_UNARY(-)
KILN_HIP_UNARY(~)

#define KILN_HIP_STEP(sign, compound)            \
  KILN_HIP_OPERATOR V& operator sign(V& a) {     \
    return a compound KILN_HIP_NUMBER(1);        \
  }                                              \
  KILN_HIP_OPERATOR V operator sign(V& a, int) { \
    const V before = a;                          \
    sign a;                                      \
    return before;                               \
  }
KILN_HIP_STEP(++, +=)
KILN_HIP_STEP(--, -=)

KILN_HIP_OPERATOR bool operator==(V a, V b) {
  bool equal = a.x == b.x;
  if constexpr (kSize > 1) equal = equal && a.y == b.y;
  if constexpr (kSize > 2) equal = equal && a.z == b.z;
  if constexpr (kSize > 3) equal = equal && a.w == b.w;
  return equal;
}
KILN_HIP_OPERATOR bool operator!=(V a, V b) {
  return !(a == b);
}

#undef KILN_HIP_VECTOR
#undef KILN_HIP_VECTORS
#undef KILN_HIP_BINARY
#undef KILN_HIP_UNARY
#undef KILN_HIP_STEP
#undef KILN_HIP_OPERATOR
#undef KILN_HIP_NUMBER
