#include "batched_gemm.h"

// For a CPU: a work-item has `each` neighbouring matrices. Of a matrix it sums tile_m rows of tile_n columns
// at the same time, in vectors that stay in registers; what is left at the edges is summed one by one.

constexpr int rows = Params::tile_m;
constexpr int columns = Params::tile_n;

// The largest power of two of elements that divides `columns` and that a register holds.
constexpr int lanes_of(int most) {
  return columns % most == 0 ? most : lanes_of(most / 2);
}
constexpr int lanes = lanes_of(__BIGGEST_ALIGNMENT__ / int(sizeof(Sum)));
constexpr int vectors = columns / lanes;
typedef Sum Vector __attribute__((vector_size(lanes * sizeof(Sum))));

__device__ inline Vector load_vector(const T* __restrict__ from) {
  Vector to;
  KILN_UNROLL_ALL
  for (int e = 0; e < lanes; ++e) to[e] = Sum(float_or_double(from[e]));
  return to;
}

__device__ inline void multiply_tile(T* __restrict__ d, const T* __restrict__ a, const T* __restrict__ b,
                                     const T* __restrict__ c, const Params& p) {
  Vector sums[rows][vectors] = {};
  KILN_UNROLL(4)
  for (int l = 0; l < p.k; ++l) {
    Vector right[vectors];
    KILN_UNROLL_ALL
    for (int v = 0; v < vectors; ++v) right[v] = load_vector(b + l * p.n + v * lanes);
    KILN_UNROLL_ALL
    for (int r = 0; r < rows; ++r) {
      const Sum left = Sum(float_or_double(a[r * p.k + l]));
      KILN_UNROLL_ALL
      for (int v = 0; v < vectors; ++v) sums[r][v] += left * right[v];
    }
  }
  KILN_UNROLL_ALL
  for (int r = 0; r < rows; ++r) {
    KILN_UNROLL_ALL
    for (int v = 0; v < vectors; ++v) {
      Vector value = Sum(p.alpha) * sums[r][v];
      if (p.beta != 0) value += Sum(p.beta) * load_vector(c + r * p.n + v * lanes);
      KILN_UNROLL_ALL
      for (int e = 0; e < lanes; ++e) d[r * p.n + v * lanes + e] = T(value[e]);
    }
  }
}

__device__ inline void multiply_edge(T* __restrict__ d, const T* __restrict__ a, const T* __restrict__ b,
                                     const T* __restrict__ c, int height, int width, const Params& p) {
  for (int r = 0; r < height; ++r) {
    for (int j = 0; j < width; ++j) {
      Sum sum = 0;
      for (int l = 0; l < p.k; ++l)
        sum += Sum(float_or_double(a[r * p.k + l])) * Sum(float_or_double(b[l * p.n + j]));
      sum *= Sum(p.alpha);
      if (p.beta != 0) sum += Sum(p.beta) * Sum(float_or_double(c[r * p.n + j]));
      d[r * p.n + j] = T(sum);
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
          multiply_tile(d + place, mine_a + i * p.k, mine_b + j, old, p);
        } else {
          multiply_edge(d + place, mine_a + i * p.k, mine_b + j, old, p.m - i < rows ? p.m - i : rows,
                        p.n - j < columns ? p.n - j : columns, p);
        }
      }
    }
  }
}
