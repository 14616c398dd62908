#include "kiln/params.h"

#include "gaussian.h"

extern "C" __global__ void KILN_LAUNCH_BOUNDS_clear_fock clear_fock(double* __restrict__ fock,
                                                                    const Params p) {
  const long long at = kiln::global_index_x();
  if (at < (long long)p.natoms * p.natoms) fock[at] = 0;
}

// One quartet (ij|kl) with i >= j, k >= l, ij >= kl for each work-item: the eightfold symmetry of the
// integrals. Those that Schwarz's inequality bounds by `dtol` are left out; each other one meets the density
// in six places.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_build_fock build_fock(
    double* __restrict__ fock, const double* __restrict__ density, const double* __restrict__ schwarz,
    const Primitive* __restrict__ primitives, const int* __restrict__ primitive_counts, const Params p) {
  const long long n = p.natoms;
  const long long pairs = n * (n + 1) / 2;
  const long long block_index = (long long)(blockIdx.y) * gridDim.x + blockIdx.x;
  const long long index = block_index * blockDim.x + threadIdx.x;
  if (index >= pairs * (pairs + 1) / 2) return;

  const Pair quartet = unpack(index);
  const long long ij = quartet.i;
  const long long kl = quartet.j;
  if (schwarz[ij] * schwarz[kl] <= p.dtol) return;

  const int most = p.ngauss * p.ngauss;  // primitives of a pair
  const Primitive* __restrict__ bra = primitives + ij * most;
  const Primitive* __restrict__ ket = primitives + kl * most;
  const int bras = primitive_counts[ij];
  const int kets = primitive_counts[kl];
  double integral = 0;
  for (int a = 0; a < bras; ++a) {
    const Primitive P = bra[a];
    for (int b = 0; b < kets; ++b) {
      const Primitive Q = ket[b];
      const double weight = P.weight * Q.weight;
      if (fabs(weight) <= p.dtol) continue;
      const double alpha = P.exponent * Q.exponent / (P.exponent + Q.exponent);
      const double dx = P.x - Q.x;
      const double dy = P.y - Q.y;
      const double dz = P.z - Q.z;
      integral += weight * sqrt(alpha) * boys(alpha * (dx * dx + dy * dy + dz * dz));
    }
  }

  const Pair ij_atoms = unpack(ij);
  const Pair kl_atoms = unpack(kl);
  const long long i = ij_atoms.i, j = ij_atoms.j, k = kl_atoms.i, l = kl_atoms.j;
  if (i == j) integral *= 0.5;
  if (k == l) integral *= 0.5;
  if (ij == kl) integral *= 0.5;

  atomicAdd(&fock[i * n + j], 4.0 * density[k * n + l] * integral);
  atomicAdd(&fock[k * n + l], 4.0 * density[i * n + j] * integral);
  atomicAdd(&fock[i * n + k], -density[j * n + l] * integral);
  atomicAdd(&fock[i * n + l], -density[j * n + k] * integral);
  atomicAdd(&fock[j * n + k], -density[i * n + l] * integral);
  atomicAdd(&fock[j * n + l], -density[i * n + k] * integral);
}
