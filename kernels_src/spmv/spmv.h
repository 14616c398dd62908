#pragma once

#include "kiln/params.h"

// Entry k of a matrix: what is used once is to leave the caches first, so that x may stay.
template <class V>
__device__ inline V once(const V* __restrict__ from) {
  return Params::loads == 1 ? kiln::stream_load(from) : *from;
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
