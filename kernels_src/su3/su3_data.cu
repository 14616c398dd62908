#include "kiln/params.h"

#include "su3.h"

enum Input { kRandom, kConstant };
enum Stream { kLattice, kMatrices };

// Uniform in [-1, 1): the number `index` of a lattice, or of the four matrices.
__device__ inline T random_number(const Params& p, long long index, Stream stream) {
  return T(2 * kiln::uniform01(p.seed, index, stream) - 1);
}

extern "C" __global__ void fill_lattice(T* __restrict__ a, const Params p) {
  const long long site = kiln::global_index_x();
  if (site >= site_count(p)) return;
  T* const numbers = a + site * kStride;
  for (int n = 0; n < kSiteNumbers; ++n) {
    numbers[n] =
        p.input == kRandom ? random_number(p, site * kSiteNumbers + n, kLattice) : T(n % 2 == 0 ? 1 : 0);
  }
  if (kStride == kSiteNumbers) return;
  int* const rest = reinterpret_cast<int*>(numbers + kSiteNumbers);
  const int whole = int(site);
  const int x = whole % p.L, y = whole / p.L % p.L, z = whole / (p.L * p.L) % p.L,
            t = whole / (p.L * p.L * p.L);
  const int fields[6] = {x, y, z, t, whole, (x + y + z + t) % 2 == 0 ? 2 : 1};
  for (int n = 0; n < int(8 * sizeof(T) / sizeof(int)); ++n) rest[n] = n < 6 ? fields[n] : 0;
}

extern "C" __global__ void fill_matrices(T* __restrict__ b, const Params p) {
  for (int n = int(threadIdx.x); n < kSiteNumbers; n += int(blockDim.x)) {
    b[n] = p.input == kRandom ? random_number(p, n, kMatrices) : n % 2 == 0 ? T(1) / T(3) : T(0);
  }
}

// One work-item for each element, in double.
extern "C" __global__ void multiply_reference(double* __restrict__ c_reference, const T* __restrict__ a,
                                              const T* __restrict__ b, const Params p) {
  const long long site = kiln::global_index_x();
  if (site >= site_count(p)) return;
  const int link = int(blockIdx.y) / 9;
  const int row = int(blockIdx.y) / 3 % 3;
  const int column = int(blockIdx.y) % 3;
  double re = 0, im = 0;
  for (int m = 0; m < 3; ++m) {
    const T* const left = a + site * kStride + ((link * 3 + row) * 3 + m) * 2;
    const T* const right = b + ((link * 3 + m) * 3 + column) * 2;
    re += double(left[0]) * double(right[0]) - double(left[1]) * double(right[1]);
    im += double(left[0]) * double(right[1]) + double(left[1]) * double(right[0]);
  }
  double* const to = c_reference + site * kStride + ((link * 3 + row) * 3 + column) * 2;
  to[0] = re;
  to[1] = im;
}
