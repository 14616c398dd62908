// Conjugate gradients for -laplacian(u) = f on the unit square, n x n interior points, u = 0 on the boundary.
#include "kiln/params.h"

__device__ double mode(int k, int i, int j, int n) {
  const double angle = 3.14159265358979323846 * (k + 1) / (n + 1);
  return sin(angle * (i + 1)) * sin(angle * (j + 1));
}

__device__ double eigenvalue(int k, int n) {
  const double s = sin(0.5 * 3.14159265358979323846 * (k + 1) / (n + 1));
  return 8 * s * s * (n + 1) * (n + 1);
}

/// The sum of the first modes, each times its eigenvalue: the right side.
extern "C" __global__ void make_f(double* f, const Params p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= p.n || j >= p.n) return;
  double sum = 0;
  for (int k = 0; k < p.modes; ++k) sum += eigenvalue(k, p.n) * mode(k, i, j, p.n);
  f[j * p.n + i] = sum;
}

/// The sum of the first modes: the solution.
extern "C" __global__ void exact_solution(double* u, const Params p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= p.n || j >= p.n) return;
  double sum = 0;
  for (int k = 0; k < p.modes; ++k) sum += mode(k, i, j, p.n);
  u[j * p.n + i] = sum;
}

/// y = -laplacian(x)
extern "C" __global__ void apply(double* y, const double* x, const Params p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= p.n || j >= p.n) return;
  const int c = j * p.n + i;
  double sum = 4 * x[c];
  if (i > 0) sum -= x[c - 1];
  if (i + 1 < p.n) sum -= x[c + 1];
  if (j > 0) sum -= x[c - p.n];
  if (j + 1 < p.n) sum -= x[c + p.n];
  y[c] = sum * (p.n + 1) * (p.n + 1);
}

/// partials[j]: the scalar product of row j of a and b.
extern "C" __global__ void dot_rows(double* partials, const double* a, const double* b, const Params p) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= p.n) return;
  double sum = 0;
  for (int i = 0; i < p.n; ++i) sum += a[j * p.n + i] * b[j * p.n + i];
  partials[j] = sum;
}

/// By one work-item, so that the order of the sum is always the same.
extern "C" __global__ void sum_rows(double* sum, const double* partials, const Params p) {
  double total = 0;
  for (int j = 0; j < p.n; ++j) total += partials[j];
  sum[0] = total;
}

/// y += alpha x
extern "C" __global__ void axpy(double* y, const double* x, double alpha, const Params p) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < p.n * p.n) y[c] += alpha * x[c];
}

/// y = x + beta y
extern "C" __global__ void xpby(double* y, const double* x, double beta, const Params p) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < p.n * p.n) y[c] = x[c] + beta * y[c];
}
