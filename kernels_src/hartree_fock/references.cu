#include "kiln/params.h"

#include "gaussian.h"

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
