#include "su3_loops.h"

namespace kiln::bench {
namespace {

constexpr int kLanes = 8;

/// A row of a link: six numbers, in vectors of eight.
template <class T>
struct Rows {
  alignas(64) T real[4][3][kLanes] = {}, imaginary[4][3][kLanes] = {};
};

template <int Numbers, class T>
void multiply_row(T* __restrict__ to, const T* __restrict__ left, const T (&real)[3][kLanes],
                  const T (&imaginary)[3][kLanes]) {
#pragma omp simd
  for (int n = 0; n < Numbers; ++n) {
    to[n] = left[0] * real[0][n] + left[1] * imaginary[0][n] + left[2] * real[1][n] +
            left[3] * imaginary[1][n] + left[4] * real[2][n] + left[5] * imaginary[2][n];
  }
}

template <class T>
void rows_of(T* __restrict__ c, const T* __restrict__ a, const T* __restrict__ b, std::size_t sites,
             std::size_t stride) {
  Rows<T> rows;
  for (std::size_t row = 0; row < 12; ++row) {
    for (std::size_t n = 0; n < 6; ++n) {
      rows.real[row / 3][row % 3][n] = b[6 * row + n];
      rows.imaginary[row / 3][row % 3][n] = n % 2 == 0 ? -b[6 * row + n + 1] : b[6 * row + n - 1];
    }
  }
#pragma omp parallel for firstprivate(rows)
  for (std::size_t site = 0; site < sites; ++site) {
    const T* from = a + site * stride;
    T* to = c + site * stride;
#pragma GCC unroll 11
    for (std::size_t row = 0; row < 11; ++row)
      multiply_row<kLanes>(to + 6 * row, from + 6 * row, rows.real[row / 3], rows.imaginary[row / 3]);
    multiply_row<6>(to + 66, from + 66, rows.real[3], rows.imaginary[3]);
  }
}

template <class T>
void element(T* __restrict__ to, const T* __restrict__ left, const T* __restrict__ right) {
  T re = 0, im = 0;
  for (int m = 0; m < 3; ++m) {
    re += left[2 * m] * right[6 * m] - left[2 * m + 1] * right[6 * m + 1];
    im += left[2 * m] * right[6 * m + 1] + left[2 * m + 1] * right[6 * m];
  }
  to[0] = re;
  to[1] = im;
}

template <class T>
void elements_of(T* __restrict__ c, const T* __restrict__ a, const T* __restrict__ b, std::size_t sites,
                 std::size_t stride) {
#pragma omp parallel for
  for (std::size_t number = 0; number < 36 * sites; ++number) {
    const std::size_t site = number / 36, at = number % 36;
    const std::size_t link = at / 9, row = at % 9 / 3, column = at % 3;
    element(c + site * stride + 2 * at, a + site * stride + 18 * link + 6 * row, b + 18 * link + 2 * column);
  }
}

template <class T>
void nest_of(T* __restrict__ c, const T* __restrict__ a, const T* __restrict__ b, std::size_t sites,
             std::size_t stride) {
#pragma omp parallel for
  for (std::size_t site = 0; site < sites; ++site) {
    for (std::size_t link = 0; link < 4; ++link) {
      for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column) {
          const std::size_t at = site * stride + 18 * link + 6 * row;
          element(c + at + 2 * column, a + at, b + 18 * link + 2 * column);
        }
      }
    }
  }
}

}  // namespace

void su3_rows(float* c, const float* a, const float* b, std::size_t sites, std::size_t stride) {
  rows_of(c, a, b, sites, stride);
}
void su3_rows(double* c, const double* a, const double* b, std::size_t sites, std::size_t stride) {
  rows_of(c, a, b, sites, stride);
}
void su3_elements(float* c, const float* a, const float* b, std::size_t sites, std::size_t stride) {
  elements_of(c, a, b, sites, stride);
}
void su3_elements(double* c, const double* a, const double* b, std::size_t sites, std::size_t stride) {
  elements_of(c, a, b, sites, stride);
}
void su3_nest(float* c, const float* a, const float* b, std::size_t sites, std::size_t stride) {
  nest_of(c, a, b, sites, stride);
}
void su3_nest(double* c, const double* a, const double* b, std::size_t sites, std::size_t stride) {
  nest_of(c, a, b, sites, stride);
}

}  // namespace kiln::bench
