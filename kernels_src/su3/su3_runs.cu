#include "kiln/params.h"

#include "su3.h"

// For CPUs: a work-item takes a run of sites, one after the other. Each of the six numbers of a row of c is a
// sum of three products with a real part of a and three with an imaginary part; for the latter the matrices
// of b stand there a second time, multiplied by i. Rows are written as eight numbers, a whole vector: the
// last two belong to the next row, which comes next. A site's last row is written as six.

constexpr int kLanes = 8;

struct Matrices {
  alignas(64) T real[4][3][kLanes], imaginary[4][3][kLanes];  // what follows the six numbers of a row is 0
};

__device__ inline void turn(Matrices& matrices, const T* __restrict__ b) {
  for (int row = 0; row < 12; ++row) {
    for (int n = 0; n < kLanes; ++n) {
      const bool is_there = n < 6;
      matrices.real[row / 3][row % 3][n] = is_there ? b[6 * row + n] : T(0);
      matrices.imaginary[row / 3][row % 3][n] = !is_there    ? T(0)
                                                : n % 2 == 0 ? -b[6 * row + n + 1]
                                                             : b[6 * row + n - 1];
    }
  }
}

template <int Numbers>
__device__ inline void multiply_row(T* __restrict__ to, const T* __restrict__ left, const Matrices& matrices,
                                    int link) {
  const T(&real)[3][kLanes] = matrices.real[link];
  const T(&imaginary)[3][kLanes] = matrices.imaginary[link];
  KILN_SIMD
  for (int n = 0; n < Numbers; ++n) {
    to[n] = left[0] * real[0][n] + left[1] * imaginary[0][n] + left[2] * real[1][n] +
            left[3] * imaginary[1][n] + left[4] * real[2][n] + left[5] * imaginary[2][n];
  }
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_multiply_runs multiply_runs(T* __restrict__ c,
                                                                          const T* __restrict__ a,
                                                                          const T* __restrict__ b,
                                                                          const Params p) {
  Matrices matrices;
  turn(matrices, b);
  const long long first = kiln::global_index_x() * p.length;
  const long long sites = site_count(p);
  const long long behind = first + p.length < sites ? first + p.length : sites;
  for (long long site = first; site < behind; ++site) {
    const T* const from = a + site * kStride;
    T* const to = c + site * kStride;
    KILN_UNROLL_ALL
    for (int row = 0; row < 11; ++row) multiply_row<kLanes>(to + 6 * row, from + 6 * row, matrices, row / 3);
    multiply_row<6>(to + 66, from + 66, matrices, 3);
  }
}
