#include "openmp_loops.h"

namespace kiln::bench {
void copy(double* __restrict__ c, const double* __restrict__ a, std::size_t n) {
#pragma omp parallel for
  for (std::size_t i = 0; i < n; ++i) c[i] = a[i];
}

void mul(double* __restrict__ b, const double* __restrict__ c, double scalar, std::size_t n) {
#pragma omp parallel for
  for (std::size_t i = 0; i < n; ++i) b[i] = scalar * c[i];
}

void add(double* __restrict__ c, const double* __restrict__ a, const double* __restrict__ b, std::size_t n) {
#pragma omp parallel for
  for (std::size_t i = 0; i < n; ++i) c[i] = a[i] + b[i];
}

void triad(double* __restrict__ a, const double* __restrict__ b, const double* __restrict__ c, double scalar,
           std::size_t n) {
#pragma omp parallel for
  for (std::size_t i = 0; i < n; ++i) a[i] = b[i] + scalar * c[i];
}

double dot(const double* a, const double* b, std::size_t n) {
  double sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

void laplacian(double* __restrict__ f, const double* __restrict__ u, int nx, int ny, int nz) {
  const double ax = static_cast<double>(nx - 1) * (nx - 1);
  const double ay = static_cast<double>(ny - 1) * (ny - 1);
  const double az = static_cast<double>(nz - 1) * (nz - 1);
  const double center = -2 * (ax + ay + az);
  const std::ptrdiff_t row = nx;
  const std::ptrdiff_t plane = row * ny;
#pragma omp parallel for collapse(2)
  for (int k = 1; k < nz - 1; ++k) {
    for (int j = 1; j < ny - 1; ++j) {
      const double* v = u + k * plane + j * row;
      double* out = f + k * plane + j * row;
#pragma omp simd
      for (int i = 1; i < nx - 1; ++i) {
        out[i] = v[i] * center + (v[i - 1] + v[i + 1]) * ax + (v[i - row] + v[i + row]) * ay +
                 (v[i - plane] + v[i + plane]) * az;
      }
    }
  }
}

}  // namespace kiln::bench
