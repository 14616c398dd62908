// The CUDA dialect for a host compiler: CUDA 13's vectors of four wide numbers, by their alignment.
#pragma once

#define KILN_ALIGNED_VECTORS(name, type)                                     \
  typedef name##4 name##4_16a;                                               \
  struct alignas(32) name##4_32a {                                           \
    type x, y, z, w;                                                         \
  };                                                                         \
  KILN_SHIM name##4_16a make_##name##4_16a(type x, type y, type z, type w) { \
    return {x, y, z, w};                                                     \
  }                                                                          \
  KILN_SHIM name##4_32a make_##name##4_32a(type x, type y, type z, type w) { \
    return {x, y, z, w};                                                     \
  }
KILN_ALIGNED_VECTORS(long, long)
KILN_ALIGNED_VECTORS(ulong, unsigned long)
KILN_ALIGNED_VECTORS(longlong, long long)
KILN_ALIGNED_VECTORS(ulonglong, unsigned long long)
KILN_ALIGNED_VECTORS(double, double)
