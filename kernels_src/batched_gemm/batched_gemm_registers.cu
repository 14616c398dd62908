#include "batched_gemm.h"

#include "../tiles/overlap.h"

// A work-item has `tile_m` rows of a and d and all of b, of `each` matrices, in registers, whose loads are all
// on their way before the first is used. Work-items of a matrix are neighbours, so that rows of 16 bytes are
// written side by side. Launches overlap: a, b and c are not `__restrict__`. This needs m, n and k as constants; bound at run time, it sums from memory, an element
// at a time.

template <int Elements>
struct Matrix {
  T at[Elements];
};

// The largest access of at most 16 bytes, in elements, that divides so many.
constexpr int access_of(int elements, int access = pack) {
  return elements % access == 0 ? access : access_of(elements, access / 2);
}

template <int Elements>
__device__ inline void load_matrix(Matrix<Elements>& to, const T* from, long long stride) {
  constexpr int count = access_of(Elements);
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
  constexpr int count = access_of(Elements);
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

template <bool>
struct AreConstants {};
char size_of_member(const int*);  // a constant's, which is static
template <class P>
long size_of_member(int P::*);
constexpr bool constants = sizeof(size_of_member(&Params::m)) + sizeof(size_of_member(&Params::n)) +
                               sizeof(size_of_member(&Params::k)) ==
                           3;

template <class P>
__device__ inline void multiply(T* __restrict__ d, const T* a, const T* b, const T* c, const P& p,
                                AreConstants<true>) {
  constexpr int M = P::m, N = P::n, K = P::k, rows = P::tile_m, team = M / rows;
  const long long first = (long long)blockIdx.x * (P::block * P::each) + threadIdx.x;
  Matrix<rows * K> left[P::each];
  Matrix<K * N> right[P::each];
  Matrix<rows * N> old[P::each];
  KILN_UNROLL_ALL
  for (int e = 0; e < P::each; ++e) {
    const long long at = (first + e * P::block) / team;
    const int row = int((first + e * P::block) % team) * rows;
    if (at >= p.batch) break;
    load_matrix(left[e], a + at * p.stride_a + row * K, p.stride_a);
    load_matrix(right[e], b + at * p.stride_b, p.stride_b);
    if (p.beta != 0) load_matrix(old[e], c + at * p.stride_c + row * N, p.stride_c);
  }
  tiles::let_next_start();
  KILN_UNROLL_ALL
  for (int e = 0; e < P::each; ++e) {
    const long long at = (first + e * P::block) / team;
    const int row = int((first + e * P::block) % team) * rows;
    if (at >= p.batch) break;
    Matrix<rows * N> result;
    KILN_UNROLL_ALL
    for (int i = 0; i < rows; ++i) {
      KILN_UNROLL_ALL
      for (int j = 0; j < N; ++j) {
        Sum sum = 0;
        KILN_UNROLL_ALL
        for (int l = 0; l < K; ++l)
          sum += Sum(float_or_double(left[e].at[i * K + l])) * Sum(float_or_double(right[e].at[l * N + j]));
        sum *= Sum(p.alpha);
        if (p.beta != 0) sum += Sum(p.beta) * Sum(float_or_double(old[e].at[i * N + j]));
        result.at[i * N + j] = T(sum);
      }
    }
    store_matrix(d + at * p.stride_c + row * N, result, p.stride_c);
  }
}

template <class P>
__device__ inline void multiply(T* __restrict__ d, const T* a, const T* b, const T* c, const P& p,
                                AreConstants<false>) {
  const int team = p.m / P::tile_m;
  for (int e = 0; e < P::each; ++e) {
    const long long place = (long long)blockIdx.x * (P::block * P::each) + e * P::block + threadIdx.x;
    const long long at = place / team;
    const int row = int(place % team) * P::tile_m;
    if (at >= p.batch) break;
    for (int i = row; i < row + P::tile_m; ++i) {
      for (int j = 0; j < p.n; ++j) {
        Sum sum = 0;
        for (int l = 0; l < p.k; ++l)
          sum += Sum(float_or_double(a[at * p.stride_a + i * p.k + l])) *
                 Sum(float_or_double(b[at * p.stride_b + l * p.n + j]));
        sum *= Sum(p.alpha);
        const long long to = at * p.stride_c + i * p.n + j;
        if (p.beta != 0) sum += Sum(p.beta) * Sum(float_or_double(c[to]));
        d[to] = T(sum);
      }
    }
  }
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_batched_gemm_registers
batched_gemm_registers(T* __restrict__ d, const T* a, const T* b, const T* c, const Params p) {
  tiles::wait_for_launches_before();
  multiply(d, a, b, c, p, AreConstants<constants>());
}
