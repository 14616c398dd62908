// Jacobi's method for -laplacian(u) = f on the unit square, n x n interior points, u = 0 on the boundary.
#include "kiln/params.h"

/// The value at an interior point; 0 beyond.
__device__ double at(const double* u, int i, int j, const Params& p) {
  return i < 0 || j < 0 || i >= p.n || j >= p.n ? 0.0 : u[j * p.n + i];
}

__device__ double neighbours(const double* u, int i, int j, const Params& p) {
  return at(u, i - 1, j, p) + at(u, i + 1, j, p) + at(u, i, j - 1, p) + at(u, i, j + 1, p);
}

/// f = lambda s with the lowest mode s(i, j) = sin(pi x) sin(pi y), whose discrete solution is s itself.
extern "C" __global__ void make_f(double* f, const Params p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= p.n || j >= p.n) return;
  const double h = 1.0 / (p.n + 1);
  const double pi = 3.14159265358979323846;
  const double half = sin(0.5 * pi * h);
  f[j * p.n + i] = 8 * half * half / (h * h) * sin(pi * h * (i + 1)) * sin(pi * h * (j + 1));
}

extern "C" __global__ void jacobi(double* next, const double* u, const double* f, const Params p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= p.n || j >= p.n) return;
  const double h = 1.0 / (p.n + 1);
  next[j * p.n + i] = 0.25 * (neighbours(u, i, j, p) + h * h * f[j * p.n + i]);
}

/// The sum over a row of (f + laplacian(u))^2 and of f^2; one row for each work-item.
extern "C" __global__ void row_residuals(double* rows, const double* u, const double* f, const Params p) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= p.n) return;
  const double h = 1.0 / (p.n + 1);
  double residual = 0;
  double norm = 0;
  for (int i = 0; i < p.n; ++i) {
    const double r = f[j * p.n + i] + (neighbours(u, i, j, p) - 4 * u[j * p.n + i]) / (h * h);
    residual += r * r;
    norm += f[j * p.n + i] * f[j * p.n + i];
  }
  rows[j] = residual;
  rows[p.n + j] = norm;
}

/// residual[0] = |f + laplacian(u)| / |f| in the Euclidean norm, by one work-item.
extern "C" __global__ void residual_norm(double* residual, const double* rows, const Params p) {
  double sum = 0;
  double norm = 0;
  for (int j = 0; j < p.n; ++j) {
    sum += rows[j];
    norm += rows[p.n + j];
  }
  residual[0] = sqrt(sum / norm);
}

extern "C" __global__ void exact_solution(double* u, const Params p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= p.n || j >= p.n) return;
  const double angle = 3.14159265358979323846 / (p.n + 1);
  u[j * p.n + i] = sin(angle * (i + 1)) * sin(angle * (j + 1));
}
