#pragma once

#include "kiln/params.h"

// d = alpha a b + beta c for each matrix of a batch: a is m x k, b is k x n, row by row without gaps, and
// `stride_a`, `stride_b`, `stride_c` elements apart (c and d have the same).

using Sum = Accumulator;
constexpr int vector = Params::vector;  // elements of an access to a row
constexpr int pack = 16 / int(sizeof(T));

__device__ inline double float_or_double(double x) {
  return x;
}
template <class E>
__device__ inline float float_or_double(E x) {
  return float(x);
}

template <int Count>
__device__ inline void store_result(T* to, const kiln::Pack<T, Count>& result) {
  if (Params::stores == 1 && sizeof(result) >= 4) {
    kiln::stream_store_pack(to, result);
  } else {
    kiln::store_pack(to, result);
  }
}

// Elements of a row of d from their sums; `old` are those of c.
__device__ inline kiln::Pack<T, vector> results(const Sum* sums, const kiln::Pack<T, vector>& old,
                                                const Params& p) {
  kiln::Pack<T, vector> row;
  KILN_UNROLL_ALL
  for (int e = 0; e < vector; ++e) {
    Sum value = Sum(p.alpha) * sums[e];
    if (p.beta != 0) value += Sum(p.beta) * Sum(float_or_double(old.at[e]));
    row.at[e] = T(value);
  }
  return row;
}
