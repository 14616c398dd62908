#include "kiln/params.h"

// One interior point each; x runs fastest. Only the plane's offset can exceed 32 bits.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_laplacian laplacian(T* __restrict__ f, const T* __restrict__ u,
                                                                  const Params p) {
  const int i = int(blockIdx.x) * int(blockDim.x) + int(threadIdx.x);
  const int j = int(blockIdx.y) * int(blockDim.y) + int(threadIdx.y);
  const int k = int(blockIdx.z) * int(blockDim.z) + int(threadIdx.z);
  if (i < 1 || i >= p.nx - 1 || j < 1 || j >= p.ny - 1 || k < 1 || k >= p.nz - 1) return;

  const T ax = T(p.nx - 1) * T(p.nx - 1);  // 1 / h^2 with h = 1 / (n - 1)
  const T ay = T(p.ny - 1) * T(p.ny - 1);
  const T az = T(p.nz - 1) * T(p.nz - 1);
  const T center = -2 * (ax + ay + az);

  const int row = p.nx;
  const int plane = p.nx * p.ny;
  const long long at = (long long)plane * k + row * j + i;
  const T* __restrict__ v = u + at;
  f[at] = v[0] * center + (v[-1] + v[1]) * ax + (v[-row] + v[row]) * ay + (v[-plane] + v[plane]) * az;
}
