#include "kiln/params.h"

extern "C" __global__ void copy_reference(T* __restrict__ c, const T* __restrict__ a, const Params p) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.n) c[i] = a[i];
}

extern "C" __global__ void triad_reference(T* __restrict__ d, const T* __restrict__ a, const T* __restrict__ b, const Params p) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.n) d[i] = T(double(a[i]) + double(p.scalar) * double(b[i]));
}

// After n rounds a value is factor^n x + shift (1 - factor^n) / (1 - factor), in double precision.
extern "C" __global__ void fma_reference(T* __restrict__ sums, const Params p) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= p.items) return;
  const double factor = double(p.factor);
  double power = 1;
  for (int r = 0; r < p.rounds; ++r) power *= factor;
  double starts = 0;
  for (int k = 0; k < p.chains; ++k) starts += double((item + k) % 64) / 32;
  const double limit = double(p.shift) * (1 - power) / (1 - factor);
  sums[item] = T(power * starts + limit * p.chains);
}
