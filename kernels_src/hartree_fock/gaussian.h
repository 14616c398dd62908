#pragma once

// A product of two s-type Gaussians: a Gaussian about a centre between them.
struct Primitive {
  double exponent;
  double x, y, z;
  double weight;  // K: both coefficients, the overlap, and exponent^(-3/2)
};

// Boys function of order zero, times 2 / sqrt(pi): erf(sqrt(t)) / sqrt(t).
__device__ inline double boys(double t) {
  if (t > 1e-12) {
    const double root = sqrt(t);
    return erf(root) / root;
  }
  return 1.1283791670955126;  // 2 / sqrt(pi)
}

// The pair i >= j >= 0 that stands at place `index` of the packed triangle: index = i (i + 1) / 2 + j. The
// square root may be off by a few for large indices; integers correct it.
struct Pair {
  long long i, j;
};

__device__ inline Pair unpack(long long index) {
  long long i = (long long)((sqrt(8.0 * double(index) + 1.0) - 1.0) * 0.5);
  while (i * (i + 1) / 2 > index) --i;
  while ((i + 1) * (i + 2) / 2 <= index) ++i;
  return Pair{i, index - i * (i + 1) / 2};
}
