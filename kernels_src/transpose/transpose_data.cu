#include "transpose.h"

// 64 bits for each 8 bytes of the input, mixed from their place (the finaliser of SplitMix64). As float and
// as double they are normal numbers, which a library's transpose, a scaled sum of matrices, leaves as they
// are.
extern "C" __global__ void fill_bytes(unsigned char* __restrict__ in, const Params p) {
  const long long i = kiln::global_index_x();
  const long long left = p.batch * p.rows * (long long)p.columns * Params::bytes - 8 * i;
  if (left <= 0) return;
  unsigned long long z = ((unsigned long long)i + 1) * 0x9E3779B97F4A7C15ull + (unsigned long long)p.seed;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ z >> 27) * 0x94D049BB133111EBull;
  z = ((z ^ z >> 31) & 0xBFFFFFFFBFFFFFFFull) | 0x2000000020000000ull;
  if (left >= 8) {
    *reinterpret_cast<unsigned long long*>(in + 8 * i) = z;
  } else {
    for (int b = 0; b < left; ++b) in[8 * i + b] = (unsigned char)(z >> 8 * b);
  }
}

__device__ inline bool differ(const uint4& a, const uint4& b) {
  return a.x != b.x || a.y != b.y || a.z != b.z || a.w != b.w;
}
template <class E>
__device__ inline bool differ(const E& a, const E& b) {
  return a != b;
}

// faults[matrix][part][column]: how many elements of 64 rows of that column are not, bit for bit, where they
// belong.
extern "C" __global__ void find_faults(int* __restrict__ faults, const Element* __restrict__ out,
                                       const Element* __restrict__ in, const Params p) {
  const long long parts = (p.rows + 63) / 64;
  const long long index = kiln::global_index_x();
  if (index >= p.batch * parts * p.columns) return;
  const long long column = index % p.columns;
  const long long matrix = index / p.columns / parts;
  const int first = int(index / p.columns % parts * 64);
  int wrong = 0;
  for (int row = first; row < p.rows && row < first + 64; ++row)
    wrong += differ(out[(matrix * p.columns + column) * p.rows + row],
                    in[(matrix * p.rows + row) * p.columns + column]);
  faults[index] = wrong;
}
