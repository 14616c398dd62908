#include "kiln/params.h"

#include "gaussian.h"

// The published structure: a work-item takes one quartet from its number to the six additions, and makes all
// Gaussian products anew. Indices are 64 bits wide, where the published codes' are 32.

extern "C" __global__ void KILN_LAUNCH_BOUNDS_clear_fock clear_fock(double* __restrict__ fock,
                                                                    const Params p) {
  const long long at = kiln::global_index_x();
  if (at < (long long)p.natoms * p.natoms) fock[at] = 0;
}

struct Point {
  double x, y, z;
};

__device__ inline Point atom(const double* centres, long long i) {
  return Point{centres[3 * i], centres[3 * i + 1], centres[3 * i + 2]};
}

__device__ inline double distance2(const Point& a, const Point& b) {
  return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z);
}

// One quartet (ij|kl) with i >= j, k >= l, ij >= kl for each work-item: the eightfold symmetry of the
// integrals. Those that Schwarz's inequality bounds by `dtol` are left out; each other one meets the density
// in six places. `orbital` has exponents and normalised coefficients, `centres` the atoms in bohr.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_build_fock_paper build_fock_paper(
    double* __restrict__ fock, const double* __restrict__ density, const double* __restrict__ schwarz,
    const double* __restrict__ orbital, const double* __restrict__ centres, const Params p) {
  const long long n = p.natoms;
  const long long pairs = n * (n + 1) / 2;
  const long long block_index = (long long)(blockIdx.y) * gridDim.x + blockIdx.x;
  const long long index = block_index * blockDim.x + threadIdx.x;
  if (index >= pairs * (pairs + 1) / 2) return;

  const Pair quartet = unpack(index);
  const long long ij = quartet.i;
  const long long kl = quartet.j;
  if (schwarz[ij] * schwarz[kl] <= p.dtol) return;
  const Pair ij_atoms = unpack(ij);
  const Pair kl_atoms = unpack(kl);
  const long long i = ij_atoms.i, j = ij_atoms.j, k = kl_atoms.i, l = kl_atoms.j;

  const Point ri = atom(centres, i), rj = atom(centres, j), rk = atom(centres, k), rl = atom(centres, l);
  const double ij2 = distance2(ri, rj);
  const double kl2 = distance2(rk, rl);
  double integral = 0;
  for (int a = 0; a < p.ngauss; ++a) {
    for (int b = 0; b < p.ngauss; ++b) {
      const double xa = orbital[2 * a], xb = orbital[2 * b];
      const double bra = 1.0 / (xa + xb);
      const double bra_weight =
          orbital[2 * a + 1] * orbital[2 * b + 1] * exp(-xa * xb * bra * ij2) * (bra * sqrt(bra));
      if (fabs(bra_weight) <= p.dtol) continue;
      const Point centre = {bra * (xa * ri.x + xb * rj.x), bra * (xa * ri.y + xb * rj.y),
                            bra * (xa * ri.z + xb * rj.z)};
      for (int c = 0; c < p.ngauss; ++c) {
        for (int d = 0; d < p.ngauss; ++d) {
          const double xc = orbital[2 * c], xd = orbital[2 * d];
          const double ket = 1.0 / (xc + xd);
          const double ket_weight =
              orbital[2 * c + 1] * orbital[2 * d + 1] * exp(-xc * xd * ket * kl2) * (ket * sqrt(ket));
          const double weight = bra_weight * ket_weight;
          if (fabs(ket_weight) <= p.dtol || fabs(weight) <= p.dtol) continue;
          const Point other = {ket * (xc * rk.x + xd * rl.x), ket * (xc * rk.y + xd * rl.y),
                               ket * (xc * rk.z + xd * rl.z)};
          const double alpha = (xa + xb) * (xc + xd) / (xa + xb + xc + xd);
          integral += weight * sqrt(alpha) * boys(alpha * distance2(centre, other));
        }
      }
    }
  }

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
