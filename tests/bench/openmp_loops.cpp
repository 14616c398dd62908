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

namespace {

template <class T>
void laplacian_of(T* __restrict__ f, const T* __restrict__ u, int nx, int ny, int nz) {
  const T ax = static_cast<T>(nx - 1) * static_cast<T>(nx - 1);
  const T ay = static_cast<T>(ny - 1) * static_cast<T>(ny - 1);
  const T az = static_cast<T>(nz - 1) * static_cast<T>(nz - 1);
  const T center = -2 * (ax + ay + az);
  const std::ptrdiff_t row = nx;
  const std::ptrdiff_t plane = row * ny;
#pragma omp parallel for collapse(2)
  for (int k = 1; k < nz - 1; ++k) {
    for (int j = 1; j < ny - 1; ++j) {
      const T* v = u + k * plane + j * row;
      T* out = f + k * plane + j * row;
#pragma omp simd
      for (int i = 1; i < nx - 1; ++i) {
        out[i] = v[i] * center + (v[i - 1] + v[i + 1]) * ax + (v[i - row] + v[i + row]) * ay +
                 (v[i - plane] + v[i + plane]) * az;
      }
    }
  }
}

}  // namespace

void laplacian(double* f, const double* u, int nx, int ny, int nz) {
  laplacian_of(f, u, nx, ny, nz);
}

void laplacian(float* f, const float* u, int nx, int ny, int nz) {
  laplacian_of(f, u, nx, ny, nz);
}

}  // namespace kiln::bench
