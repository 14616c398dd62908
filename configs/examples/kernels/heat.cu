// The heat equation on the unit cube by explicit steps, n^3 interior points, u = 0 on the boundary.
#include "kiln/params.h"

/// next = u + rate * (sum of the six neighbours - 6 u)
extern "C" __global__ void heat_step(double* next, const double* u, const Params p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  const int k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i >= p.n || j >= p.n || k >= p.n) return;
  const int c = (k * p.n + j) * p.n + i;
  double sum = -6 * u[c];
  if (i > 0) sum += u[c - 1];
  if (i + 1 < p.n) sum += u[c + 1];
  if (j > 0) sum += u[c - p.n];
  if (j + 1 < p.n) sum += u[c + p.n];
  if (k > 0) sum += u[c - p.n * p.n];
  if (k + 1 < p.n) sum += u[c + p.n * p.n];
  next[c] = u[c] + p.rate * sum;
}

__device__ double lowest_mode(int i, int j, int k, int n) {
  const double angle = 3.14159265358979323846 / (n + 1);
  return sin(angle * (i + 1)) * sin(angle * (j + 1)) * sin(angle * (k + 1));
}

extern "C" __global__ void make_start(double* u, const Params p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  const int k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i >= p.n || j >= p.n || k >= p.n) return;
  u[(k * p.n + j) * p.n + i] = lowest_mode(i, j, k, p.n);
}

/// The lowest mode is an eigenvector: each time step multiplies it by 1 - 12 rate sin(pi h / 2)^2.
extern "C" __global__ void exact(double* u, const Params p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  const int k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i >= p.n || j >= p.n || k >= p.n) return;
  const double s = sin(0.5 * 3.14159265358979323846 / (p.n + 1));
  const double factor = pow(1 - 12 * p.rate * s * s, (double)p.time_steps);
  u[(k * p.n + j) * p.n + i] = factor * lowest_mode(i, j, k, p.n);
}
