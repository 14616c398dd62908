#pragma once

#include "kiln/params.h"

// Entry k of a matrix: what is used once is to leave the caches first, or to take no place in the first-level
// cache, so that x may stay.
#if defined(KILN_BACKEND_CUDA) && defined(__CUDA_ARCH__)
__device__ inline double load_past(const double* from) {
  double value;
  asm("ld.global.nc.L1::no_allocate.f64 %0, [%1];" : "=d"(value) : "l"(__cvta_generic_to_global(from)));
  return value;
}
__device__ inline float load_past(const float* from) {
  float value;
  asm("ld.global.nc.L1::no_allocate.f32 %0, [%1];" : "=f"(value) : "l"(__cvta_generic_to_global(from)));
  return value;
}
template <class V>
__device__ inline V load_past(const V* from) {
  unsigned value;
  asm("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(from)));
  return V(value);
}
#else
template <class V>
__device__ inline V load_past(const V* from) {
  return *from;
}
#endif

template <class V>
__device__ inline V once(const V* __restrict__ from) {
  return Params::loads == 2 ? load_past(from) : Params::loads == 1 ? kiln::stream_load(from) : *from;
}

// Rows are shared by teams of `lanes` neighbouring work-items.
constexpr int lanes = Params::lanes;
constexpr int teams = Params::block / lanes;  // of a block

// Sums over a team; every work-item of the warp calls it.
template <class V>
__device__ inline V sum_of_team(V value) {
  KILN_UNROLL_ALL
  for (int d = lanes / 2; d > 0; d /= 2) value += kiln::shuffle_xor(value, d);
  return value;
}
