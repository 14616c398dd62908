#pragma once

#include "kiln/params.h"

// Entry k of a matrix: what is used once is to leave the caches first, so that x may stay.
template <class V>
__device__ inline V once(const V* __restrict__ from) {
  return Params::loads == 1 ? kiln::stream_load(from) : *from;
}
