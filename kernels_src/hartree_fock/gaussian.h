#pragma once

#include "boys.h"

// A product of two s-type Gaussians: a Gaussian about a centre between them.
struct Primitive {
  double exponent;
  double x, y, z;
  double weight;  // K: both coefficients, the overlap, and exponent^(-3/2)
};

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

__device__ inline double bohr(double angstrom) {
  return angstrom * 1.889725987722;
}

// A coefficient for the normalised Gaussian; factors of pi are in boys().
__device__ inline double normalised(double coefficient, double exponent) {
  return coefficient * sqrt(sqrt(8.0 * exponent * exponent * exponent));  // (2 exponent)^(3/4)
}

// The product of primitive a of atom i and b of atom j; `basis` has an exponent and a coefficient for each
// primitive, `geometry` three coordinates in angstrom for each atom.
__device__ inline Primitive product(const double* basis, const double* geometry, long long i, long long j,
                                    int a, int b) {
  const double xa = basis[2 * a];
  const double xb = basis[2 * b];
  const double exponent = xa + xb;
  double centre[3];
  double distance2 = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double ri = bohr(geometry[3 * i + axis]);
    const double rj = bohr(geometry[3 * j + axis]);
    distance2 += (ri - rj) * (ri - rj);
    centre[axis] = (xa * ri + xb * rj) / exponent;
  }
  const double weight = normalised(basis[2 * a + 1], xa) * normalised(basis[2 * b + 1], xb) *
                        exp(-xa * xb / exponent * distance2) / (exponent * sqrt(exponent));
  return Primitive{exponent, centre[0], centre[1], centre[2], weight};
}

// All primitive products of a pair.
struct Products {
  static constexpr int most = 64;  // ngauss is 8 at most
  Primitive list[most];
};

__device__ inline void expand(Products& pair, const double* basis, const double* geometry, int ngauss,
                              long long i, long long j) {
  KILN_UNROLL(1)
  for (int a = 0; a < ngauss; ++a) {
    KILN_UNROLL(1)
    for (int b = 0; b < ngauss; ++b) pair.list[a * ngauss + b] = product(basis, geometry, i, j, a, b);
  }
}

// What the products of primitives a and b have in common in all pairs of atoms.
struct Slot {
  double exponent;          // x_a x_b / p: of the atoms' squared distance
  double coefficient;       // with p^(-3/2); the weight is coefficient exp(-exponent distance^2)
  double share_i, share_j;  // the centre is share_i R_i + share_j R_j
};

// Two such products of one pair. Their centres stand on the line between the atoms.
struct Meeting {
  double alpha;  // times the share of the atoms' squared distance that is between the centres
  double root;   // sqrt(alpha)
};
