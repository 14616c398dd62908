// LU factorisation without pivoting, by blocks of p.tile columns; a is n x n, row by row, and gets L (its diagonal of
// ones left out) and U. n is a multiple of the tile.
#include "kiln/params.h"

/// Diagonally dominant, so that no pivoting is needed.
extern "C" __global__ void make_matrix(double* a, const double* random, const Params p) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= p.n || j >= p.n) return;
  a[i * p.n + j] = random[i * p.n + j] + (i == j ? 1.0 * p.n : 0.0);
}

/// The block on the diagonal, by one block of p.tile work-items, one for each row.
extern "C" __global__ void factor_diagonal(double* a, int k, const Params p) {
  const int row = threadIdx.x;
  for (int column = 0; column < p.tile; ++column) {
    const double pivot = a[(k + column) * p.n + k + column];
    if (row > column) {
      const double factor = a[(k + row) * p.n + k + column] / pivot;
      a[(k + row) * p.n + k + column] = factor;
      for (int j = column + 1; j < p.tile; ++j)
        a[(k + row) * p.n + k + j] -= factor * a[(k + column) * p.n + k + j];
    }
    __syncthreads();
  }
}

/// Blocks to the right of the diagonal one: U = inverse(L) A; one work-item for each column.
extern "C" __global__ void solve_right(double* a, int k, const Params p) {
  const int j = k + p.tile + blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= p.n) return;
  for (int i = 1; i < p.tile; ++i) {
    double sum = a[(k + i) * p.n + j];
    for (int m = 0; m < i; ++m) sum -= a[(k + i) * p.n + k + m] * a[(k + m) * p.n + j];
    a[(k + i) * p.n + j] = sum;
  }
}

/// Blocks below the diagonal one: L = A inverse(U); one work-item for each row.
extern "C" __global__ void solve_below(double* a, int k, const Params p) {
  const int i = k + p.tile + blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= p.n) return;
  for (int j = 0; j < p.tile; ++j) {
    double sum = a[i * p.n + k + j];
    for (int m = 0; m < j; ++m) sum -= a[i * p.n + k + m] * a[(k + m) * p.n + k + j];
    a[i * p.n + k + j] = sum / a[(k + j) * p.n + k + j];
  }
}

/// What is left: A -= L U.
extern "C" __global__ void update_trailing(double* a, int k, const Params p) {
  const int first = k + p.tile;
  const int j = first + blockIdx.x * blockDim.x + threadIdx.x;
  const int i = first + blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= p.n || j >= p.n) return;
  double sum = a[i * p.n + j];
  for (int m = 0; m < p.tile; ++m) sum -= a[i * p.n + k + m] * a[(k + m) * p.n + j];
  a[i * p.n + j] = sum;
}

/// L times U.
extern "C" __global__ void multiply_factors(double* product, const double* a, const Params p) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= p.n || j >= p.n) return;
  double sum = 0;
  for (int m = 0; m <= i && m <= j; ++m) sum += (m == i ? 1.0 : a[i * p.n + m]) * a[m * p.n + j];
  product[i * p.n + j] = sum;
}

extern "C" __global__ void copy_matrix(double* to, const double* from, const Params p) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < p.n * p.n) to[c] = from[c];
}
