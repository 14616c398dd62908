#include "batched_gemm.h"

// A work-item has `each` whole matrices in registers, whose loads are all on their way before the first is
// used. m, n and k are constants here.

constexpr int m = Params::m;
constexpr int n = Params::n;
constexpr int k = Params::k;

template <int Elements>
struct Matrix {
  T at[Elements];
};

template <int Elements>
__device__ inline void load_matrix(Matrix<Elements>& to, const T* __restrict__ from, long long stride) {
  constexpr int count = Elements % pack == 0 ? pack : 1;
  if (stride % count == 0) {
    KILN_UNROLL_ALL
    for (int q = 0; q < Elements; q += count) {
      const auto some = kiln::load_pack<count>(from + q);
      KILN_UNROLL_ALL
      for (int e = 0; e < count; ++e) to.at[q + e] = some.at[e];
    }
  } else {
    KILN_UNROLL_ALL
    for (int q = 0; q < Elements; ++q) to.at[q] = from[q];
  }
}

template <int Elements>
__device__ inline void store_matrix(T* __restrict__ to, const Matrix<Elements>& from, long long stride) {
  constexpr int count = Elements % pack == 0 ? pack : 1;
  if (stride % count == 0) {
    KILN_UNROLL_ALL
    for (int q = 0; q < Elements; q += count) {
      kiln::Pack<T, count> some;
      KILN_UNROLL_ALL
      for (int e = 0; e < count; ++e) some.at[e] = from.at[q + e];
      store_result(to + q, some);
    }
  } else {
    KILN_UNROLL_ALL
    for (int q = 0; q < Elements; ++q) to[q] = from.at[q];
  }
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_batched_gemm_registers
batched_gemm_registers(T* __restrict__ d, const T* __restrict__ a, const T* __restrict__ b,
                       const T* __restrict__ c, const Params p) {
  const long long first = (long long)blockIdx.x * (Params::block * Params::each) + threadIdx.x;
  Matrix<m * k> left[Params::each];
  Matrix<k * n> right[Params::each];
  Matrix<m * n> old[Params::each];
  KILN_UNROLL_ALL
  for (int e = 0; e < Params::each; ++e) {
    const long long at = first + e * Params::block;
    if (at >= p.batch) break;
    load_matrix(left[e], a + at * p.stride_a, p.stride_a);
    load_matrix(right[e], b + at * p.stride_b, p.stride_b);
    if (p.beta != 0) load_matrix(old[e], c + at * p.stride_c, p.stride_c);
  }
  KILN_UNROLL_ALL
  for (int e = 0; e < Params::each; ++e) {
    const long long at = first + e * Params::block;
    if (at >= p.batch) break;
    Matrix<m * n> result;
    KILN_UNROLL_ALL
    for (int i = 0; i < m; ++i) {
      KILN_UNROLL_ALL
      for (int j = 0; j < n; ++j) {
        Sum sum = 0;
        KILN_UNROLL_ALL
        for (int l = 0; l < k; ++l)
          sum += Sum(float_or_double(left[e].at[i * k + l])) * Sum(float_or_double(right[e].at[l * n + j]));
        sum *= Sum(p.alpha);
        if (p.beta != 0) sum += Sum(p.beta) * Sum(float_or_double(old[e].at[i * n + j]));
        result.at[i * n + j] = T(sum);
      }
    }
    store_matrix(d + at * p.stride_c, result, p.stride_c);
  }
}
