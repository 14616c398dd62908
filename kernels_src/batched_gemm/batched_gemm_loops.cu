#include "batched_gemm.h"

// For a CPU: a work-item has `each` neighbouring matrices, and of one `rows` rows of sums at the same time.

constexpr int rows = Params::tile_m;
constexpr int columns = Params::tile_n;

template <bool Whole>
__device__ inline void multiply_rows(T* __restrict__ d, const T* __restrict__ a, const T* __restrict__ b,
                                     const T* __restrict__ c, int height, int width, const Params& p) {
  Sum sum[rows][columns] = {};
  for (int l = 0; l < p.k; ++l) {
    KILN_UNROLL_ALL
    for (int r = 0; r < rows; ++r) {
      if (!Whole && r >= height) break;
      const Sum left = Sum(float_or_double(a[r * p.k + l]));
      KILN_UNROLL_ALL
      for (int j = 0; j < columns; ++j) {
        if (Whole || j < width) sum[r][j] += left * Sum(float_or_double(b[l * p.n + j]));
      }
    }
  }
  for (int r = 0; r < (Whole ? rows : height); ++r) {
    for (int j = 0; j < (Whole ? columns : width); ++j) {
      Sum value = Sum(p.alpha) * sum[r][j];
      if (p.beta != 0) value += Sum(p.beta) * Sum(float_or_double(c[r * p.n + j]));
      d[r * p.n + j] = T(value);
    }
  }
}

extern "C" __global__ void batched_gemm_loops(T* __restrict__ d, const T* __restrict__ a,
                                              const T* __restrict__ b, const T* __restrict__ c,
                                              const Params p) {
  const long long first = (long long)blockIdx.x * Params::each;
  const long long behind = first + Params::each < p.batch ? first + Params::each : p.batch;
  for (long long at = first; at < behind; ++at) {
    const T* mine_a = a + at * p.stride_a;
    const T* mine_b = b + at * p.stride_b;
    for (int i = 0; i < p.m; i += rows) {
      for (int j = 0; j < p.n; j += columns) {
        const long long place = at * p.stride_c + (long long)i * p.n + j;
        const T* old = c + (p.beta != 0 ? place : 0);
        if (i + rows <= p.m && j + columns <= p.n) {
          multiply_rows<true>(d + place, mine_a + i * p.k, mine_b + j, old, rows, columns, p);
        } else {
          multiply_rows<false>(d + place, mine_a + i * p.k, mine_b + j, old, p.m - i < rows ? p.m - i : rows,
                               p.n - j < columns ? p.n - j : columns, p);
        }
      }
    }
  }
}
