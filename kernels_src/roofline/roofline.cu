#include "kiln/params.h"

// Kernels that do one thing as fast as the device can: move bytes, or multiply and add.

constexpr int pack = Params::pack;
constexpr int chains = Params::chains;

using Elements = kiln::Pack<T, pack>;

__device__ inline void store(T* __restrict__ to, Elements elements) {
  if (Params::stores == 1) {
    kiln::stream_store_pack(to, elements);
  } else {
    kiln::store_pack(to, elements);
  }
}

extern "C" __global__ void copy(T* __restrict__ c, const T* __restrict__ a, const Params p) {
  const long long i = ((long long)blockIdx.x * blockDim.x + threadIdx.x) * pack;
  if (i + pack <= p.n) {
    store(c + i, kiln::load_pack<pack>(a + i));
  } else {
    for (long long e = i; e < p.n; ++e) c[e] = a[e];
  }
}

extern "C" __global__ void triad(T* __restrict__ d, const T* __restrict__ a, const T* __restrict__ b, const Params p) {
  const long long i = ((long long)blockIdx.x * blockDim.x + threadIdx.x) * pack;
  if (i + pack <= p.n) {
    const Elements x = kiln::load_pack<pack>(a + i);
    const Elements y = kiln::load_pack<pack>(b + i);
    Elements result;
    KILN_UNROLL_ALL
    for (int e = 0; e < pack; ++e) result.at[e] = x.at[e] + p.scalar * y.at[e];
    store(d + i, result);
  } else {
    for (long long e = i; e < p.n; ++e) d[e] = a[e] + p.scalar * b[e];
  }
}

// The value of a chain before the first round: from 0 to 2 in steps of 1/32.
__device__ inline T start(int item, int chain) {
  return T((item + chain) % 64) / T(32);
}

extern "C" __global__ void fma_rate(T* __restrict__ sums, const Params p) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= p.items) return;
  T values[chains];
  KILN_UNROLL_ALL
  for (int k = 0; k < chains; ++k) values[k] = start(item, k);
  const T factor = p.factor;
  const T shift = p.shift;
  for (int r = 0; r < Params::rounds; ++r) {
    KILN_UNROLL_ALL
    for (int k = 0; k < chains; ++k) values[k] = fma(values[k], factor, shift);
  }
  T sum = 0;
  KILN_UNROLL_ALL
  for (int k = 0; k < chains; ++k) sum += values[k];
  sums[item] = sum;
}
