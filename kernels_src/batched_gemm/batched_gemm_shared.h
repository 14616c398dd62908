#pragma once

#include "batched_gemm.h"

#include "../tiles/copy.h"

// A block has `matrices` matrices of a and of b in shared memory, copied by accesses of 16 bytes where
// strides allow it. A work-item sums tile_m x tile_n elements of one matrix: its rows, and its packs of
// columns, are apart from each other by as many work-items as the matrix has along them, so that neighbours
// write neighbouring memory.

namespace {

constexpr int tile_m = Params::tile_m;
constexpr int tile_n = Params::tile_n;
constexpr int packs = tile_n / vector;

// From one matrix to the next in shared memory.
__device__ constexpr int pitch_of(int elements) {
  return (elements + pack - 1) / pack * pack + Params::pad * pack;
}

template <class Copy>
__device__ inline void copy_matrices(T* to, const T* from, int elements, long long stride, int count) {
  const int pitch = pitch_of(elements);
  if (elements % pack == 0 && stride % pack == 0) {
    const int each = elements / pack;
    KILN_UNROLL(4)
    for (int q = int(threadIdx.x); q < count * each; q += Params::block)
      Copy::template move<pack>(to + q / each * pitch + q % each * pack,
                                from + q / each * stride + q % each * pack);
  } else {
    KILN_UNROLL(4)
    for (int q = int(threadIdx.x); q < count * elements; q += Params::block)
      Copy::template move<1>(to + q / elements * pitch + q % elements,
                             from + q / elements * stride + q % elements);
  }
}

template <class Copy>
__device__ inline void multiply_in_shared(T* __restrict__ d, const T* __restrict__ a, const T* __restrict__ b,
                                          const T* __restrict__ c, const Params& p) {
  using Row = kiln::Pack<T, vector>;
  extern __shared__ __align__(128) char memory[];
  T* all_a = reinterpret_cast<T*>(memory);
  T* all_b = all_a + Params::matrices * pitch_of(p.m * p.k);
  const long long first = (long long)blockIdx.x * Params::matrices;
  const int count = first + Params::matrices <= p.batch ? Params::matrices : int(p.batch - first);
  copy_matrices<Copy>(all_a, a + first * p.stride_a, p.m * p.k, p.stride_a, count);
  copy_matrices<Copy>(all_b, b + first * p.stride_b, p.k * p.n, p.stride_b, count);
  Copy::commit();

  const int down = (p.m + tile_m - 1) / tile_m;  // work-items along a matrix
  const int across = (p.n + tile_n - 1) / tile_n;
  const int matrix = int(threadIdx.x) / (down * across);
  const int row = int(threadIdx.x) / across % down;
  const int column = int(threadIdx.x) % across * vector;
  const bool works = matrix < count;
  const long long place = (first + matrix) * p.stride_c;
  const auto inside = [&](int r, int j) {
    return works && (p.m % tile_m == 0 || row + r * down < p.m) &&
           (p.n % tile_n == 0 || column + j * across * vector < p.n);
  };
  const auto at = [&](int r, int j) {
    return place + (long long)(row + r * down) * p.n + column + j * across * vector;
  };
  Row old[tile_m][packs] = {};
  if (p.beta != 0) {
    KILN_UNROLL_ALL
    for (int r = 0; r < tile_m; ++r) {
      KILN_UNROLL_ALL
      for (int j = 0; j < packs; ++j) {
        if (inside(r, j)) old[r][j] = kiln::load_pack<vector>(c + at(r, j));
      }
    }
  }
  Copy::template wait<0>();
  __syncthreads();

  Sum sum[tile_m][tile_n] = {};
  const T* mine_a = all_a + (works ? matrix : 0) * pitch_of(p.m * p.k);
  const T* mine_b = all_b + (works ? matrix : 0) * pitch_of(p.k * p.n);
  KILN_UNROLL(Params::unroll)
  for (int k = 0; k < p.k; k += vector) {
    Row left[tile_m];
    KILN_UNROLL_ALL
    for (int r = 0; r < tile_m; ++r) {
      const int i = row + r * down;
      left[r] = kiln::load_pack<vector>(mine_a + (p.m % tile_m == 0 || i < p.m ? i : 0) * p.k + k);
    }
    KILN_UNROLL_ALL
    for (int e = 0; e < vector; ++e) {
      KILN_UNROLL_ALL
      for (int j = 0; j < packs; ++j) {
        const int n = column + j * across * vector;
        const Row right =
            kiln::load_pack<vector>(mine_b + (k + e) * p.n + (p.n % tile_n == 0 || n < p.n ? n : 0));
        KILN_UNROLL_ALL
        for (int r = 0; r < tile_m; ++r) {
          KILN_UNROLL_ALL
          for (int f = 0; f < vector; ++f)
            sum[r][j * vector + f] += Sum(float_or_double(left[r].at[e])) * Sum(float_or_double(right.at[f]));
        }
      }
    }
  }
  KILN_UNROLL_ALL
  for (int r = 0; r < tile_m; ++r) {
    KILN_UNROLL_ALL
    for (int j = 0; j < packs; ++j) {
      if (inside(r, j)) store_result(d + at(r, j), results(sum[r] + j * vector, old[r][j], p));
    }
  }
}

}  // namespace
