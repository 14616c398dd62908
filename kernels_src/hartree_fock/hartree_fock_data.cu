#include "kiln/params.h"

#include "gaussian.h"

// STO-3G and STO-6G of helium: exponents and coefficients of one contracted s orbital.
extern "C" __global__ void make_basis(double* __restrict__ basis, const Params p) {
  const double sto3g[6] = {6.3624214, 0.154328967295, 1.1589230, 0.535328142282, 0.3136498, 0.444634542185};
  const double sto6g[12] = {65.98456824, 0.00916359628, 12.09819836, 0.04936149294,
                            3.384639924, 0.16853830490, 1.162715163, 0.37056279970,
                            0.451516322, 0.41649152980, 0.185959356, 0.13033408410};
  const int at = int(threadIdx.x);
  if (at < 2 * p.ngauss) basis[at] = p.ngauss == 3 ? sto3g[at] : sto6g[at];
}

// Atoms on a cubic grid, z fastest, in angstrom.
extern "C" __global__ void make_geometry(double* __restrict__ geometry, const Params p) {
  const int atom = int(kiln::global_index_x());
  if (atom >= p.natoms) return;
  geometry[3 * atom] = p.spacing * (atom / (p.box_y * p.box_z));
  geometry[3 * atom + 1] = p.spacing * (atom / p.box_z % p.box_y);
  geometry[3 * atom + 2] = p.spacing * (atom % p.box_z);
}

extern "C" __global__ void make_density(double* __restrict__ density, const Params p) {
  const long long at = kiln::global_index_x();
  const long long n = p.natoms;
  if (at < n * n) density[at] = at / n == at % n ? 1.0 : 0.1;
}

__device__ inline double bohr(double angstrom) {
  return angstrom * 1.889725987722;
}

// A coefficient for the normalised Gaussian; factors of pi are in boys().
__device__ inline double normalised(double coefficient, double exponent) {
  return coefficient * sqrt(sqrt(8.0 * exponent * exponent * exponent));  // (2 exponent)^(3/4)
}

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

// The products of pair ij that are larger than dtol, and how many.
extern "C" __global__ void make_primitives(Primitive* __restrict__ primitives,
                                           int* __restrict__ primitive_counts,
                                           const double* __restrict__ basis,
                                           const double* __restrict__ geometry, const Params p) {
  const long long ij = kiln::global_index_x();
  const long long n = p.natoms;
  if (ij >= n * (n + 1) / 2) return;
  const Pair atoms = unpack(ij);
  Primitive* list = primitives + ij * p.ngauss * p.ngauss;
  int count = 0;
  for (int a = 0; a < p.ngauss; ++a) {
    for (int b = 0; b < p.ngauss; ++b) {
      const Primitive P = product(basis, geometry, atoms.i, atoms.j, a, b);
      if (fabs(P.weight) > p.dtol) list[count++] = P;
    }
  }
  primitive_counts[ij] = count;
  for (; count < p.ngauss * p.ngauss; ++count) list[count] = Primitive{1, 0, 0, 0, 0};
}

// Schwarz's bounds sqrt |(ij|ij)|.
extern "C" __global__ void make_schwarz(double* __restrict__ schwarz,
                                        const Primitive* __restrict__ primitives,
                                        const int* __restrict__ primitive_counts, const Params p) {
  const long long ij = kiln::global_index_x();
  const long long n = p.natoms;
  if (ij >= n * (n + 1) / 2) return;
  const Primitive* list = primitives + ij * p.ngauss * p.ngauss;
  double integral = 0;
  for (int a = 0; a < primitive_counts[ij]; ++a) {
    for (int b = 0; b < primitive_counts[ij]; ++b) {
      const Primitive P = list[a];
      const Primitive Q = list[b];
      if (fabs(P.weight * Q.weight) <= p.dtol) continue;
      const double alpha = P.exponent * Q.exponent / (P.exponent + Q.exponent);
      const double distance2 =
          (P.x - Q.x) * (P.x - Q.x) + (P.y - Q.y) * (P.y - Q.y) + (P.z - Q.z) * (P.z - Q.z);
      integral += P.weight * Q.weight * sqrt(alpha) * boys(alpha * distance2);
    }
  }
  schwarz[ij] = sqrt(fabs(integral));
}

// The terms of E = 1/2 sum F D, and F + F^T: the step adds a pair's share to either of the two elements.
extern "C" __global__ void energy(double* __restrict__ energy_terms, double* __restrict__ fock_symmetric,
                                  const double* __restrict__ fock, const double* __restrict__ density,
                                  const Params p) {
  const long long at = kiln::global_index_x();
  const long long n = p.natoms;
  if (at >= n * n) return;
  const long long row = at / n;
  const long long column = at % n;
  energy_terms[at] = 0.5 * fock[at] * density[at];
  fock_symmetric[at] = fock[row * n + column] + fock[column * n + row];
}

// The references take no pair lists, no Fock matrix and no atomics: integrals straight from basis and
// geometry. What the step leaves out as too small is left out here by the same bounds, since the published
// energies depend on them.
struct Products {
  static constexpr int most = 64;  // ngauss is 8 at most
  Primitive list[most];
};

__device__ inline void expand(Products& pair, const double* basis, const double* geometry, int ngauss,
                              long long i, long long j) {
  for (int a = 0; a < ngauss; ++a) {
    for (int b = 0; b < ngauss; ++b) pair.list[a * ngauss + b] = product(basis, geometry, i, j, a, b);
  }
}

// sqrt(alpha) F(alpha d^2) is erf(sqrt(alpha) d) / d.
__device__ inline double direct_integral(const Products& bra, const Products& ket, int primitives,
                                         double dtol) {
  double sum = 0;
  for (int a = 0; a < primitives; ++a) {
    for (int b = 0; b < primitives; ++b) {
      const Primitive& P = bra.list[a];
      const Primitive& Q = ket.list[b];
      const double weight = P.weight * Q.weight;
      if (fabs(P.weight) <= dtol || fabs(Q.weight) <= dtol || fabs(weight) <= dtol) continue;
      const double root = sqrt(P.exponent * Q.exponent / (P.exponent + Q.exponent));
      const double d =
          sqrt((P.x - Q.x) * (P.x - Q.x) + (P.y - Q.y) * (P.y - Q.y) + (P.z - Q.z) * (P.z - Q.z));
      sum += weight * (root * d > 1e-6 ? erf(root * d) / d : root * 1.1283791670955126);
    }
  }
  return sum;
}

__device__ inline double schwarz_bound(const double* schwarz, long long i, long long j) {
  return i >= j ? schwarz[i * (i + 1) / 2 + j] : schwarz[j * (j + 1) / 2 + i];
}

// Energy from the integrals alone: each work-item takes the quartets whose larger pair is its own,
// E = 1/2 sum e (8 D_ij D_kl - 2 D_ik D_jl - 2 D_il D_jk) over unique quartets.
extern "C" __global__ void energy_reference(double* __restrict__ energy_terms_reference,
                                            const double* __restrict__ basis,
                                            const double* __restrict__ geometry,
                                            const double* __restrict__ density,
                                            const double* __restrict__ schwarz, const Params p) {
  const long long ij = kiln::global_index_x();
  const long long n = p.natoms;
  if (ij >= n * (n + 1) / 2) return;
  long long i = 0;
  while ((i + 1) * (i + 2) / 2 <= ij) ++i;
  const long long j = ij - i * (i + 1) / 2;
  const int primitives = p.ngauss * p.ngauss;
  Products bra, ket;
  expand(bra, basis, geometry, p.ngauss, i, j);
  double sum = 0;
  for (long long k = 0; k <= i; ++k) {
    for (long long l = 0; l <= (k == i ? j : k); ++l) {
      if (schwarz_bound(schwarz, i, j) * schwarz_bound(schwarz, k, l) <= p.dtol) continue;
      double share = 1;
      if (i == j) share /= 2;
      if (k == l) share /= 2;
      if (i == k && j == l) share /= 2;
      const double coulomb = 8 * density[i * n + j] * density[k * n + l];
      const double exchange =
          2 * density[i * n + k] * density[j * n + l] + 2 * density[i * n + l] * density[j * n + k];
      expand(ket, basis, geometry, p.ngauss, k, l);
      sum += 0.5 * share * (coulomb - exchange) * direct_integral(bra, ket, primitives, p.dtol);
    }
  }
  energy_terms_reference[ij] = sum;
}

// One element of the closed-shell two-electron matrix for each work-item, over all k, l:
// (F + F^T)_ij = sum D_kl (2 (ij|kl) - (ik|jl)).
extern "C" __global__ void fock_reference(double* __restrict__ fock_symmetric_reference,
                                          const double* __restrict__ basis,
                                          const double* __restrict__ geometry,
                                          const double* __restrict__ density,
                                          const double* __restrict__ schwarz, const Params p) {
  const long long at = kiln::global_index_x();
  const long long n = p.natoms;
  if (at >= n * n) return;
  const long long i = at / n;
  const long long j = at % n;
  const int primitives = p.ngauss * p.ngauss;
  Products ij, ik, other;
  expand(ij, basis, geometry, p.ngauss, i, j);
  double sum = 0;
  for (long long k = 0; k < n; ++k) {
    expand(ik, basis, geometry, p.ngauss, i, k);
    for (long long l = 0; l < n; ++l) {
      if (schwarz_bound(schwarz, i, j) * schwarz_bound(schwarz, k, l) > p.dtol) {
        expand(other, basis, geometry, p.ngauss, k, l);
        sum += 2 * density[k * n + l] * direct_integral(ij, other, primitives, p.dtol);
      }
      if (schwarz_bound(schwarz, i, k) * schwarz_bound(schwarz, j, l) > p.dtol) {
        expand(other, basis, geometry, p.ngauss, j, l);
        sum -= density[k * n + l] * direct_integral(ik, other, primitives, p.dtol);
      }
    }
  }
  fock_symmetric_reference[at] = sum;
}
