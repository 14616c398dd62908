#include "kiln/params.h"

// u = (x (x - Lx) + y (y - Ly) + z (z - Lz)) / 2 with x = i h, h = 1 / (n - 1), Lx = n h; rounded to T once.
extern "C" __global__ void fill_quadratic(T* __restrict__ u, const Params p) {
  const int i = int(kiln::global_index_x());
  if (i >= p.nx) return;
  const int j = int(blockIdx.y);
  const int k = int(blockIdx.z);
  const double hx = 1.0 / (p.nx - 1);
  const double hy = 1.0 / (p.ny - 1);
  const double hz = 1.0 / (p.nz - 1);
  const double x = i * hx * ((i - p.nx) * hx);
  const double y = j * hy * ((j - p.ny) * hy);
  const double z = k * hz * ((k - p.nz) * hz);
  u[((long long)k * p.ny + j) * p.nx + i] = T(0.5 * (x + y + z));
}

// The sum of three second differences, each divided by its h^2; all in double, one work-item for each
// interior point.
extern "C" __global__ void laplacian_reference(double* __restrict__ f_reference, const T* __restrict__ u,
                                               const Params p) {
  const long long i = 1 + kiln::global_index_x();
  if (i > p.nx - 2) return;
  const long long j = 1 + blockIdx.y;
  const long long k = 1 + blockIdx.z;
  const long long strides[3] = {1, p.nx, (long long)p.nx * p.ny};
  const double spacings[3] = {1.0 / (p.nx - 1), 1.0 / (p.ny - 1), 1.0 / (p.nz - 1)};
  const long long at = i * strides[0] + j * strides[1] + k * strides[2];
  double sum = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double below = double(u[at - strides[axis]]) - double(u[at]);
    const double above = double(u[at + strides[axis]]) - double(u[at]);
    sum += (below + above) / (spacings[axis] * spacings[axis]);
  }
  f_reference[at] = sum;
}
