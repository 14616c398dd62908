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

// 1 on the diagonal and 0.1 off it as in the published inputs, or seeded: any symmetric matrix will do.
extern "C" __global__ void make_density(double* __restrict__ density, const Params p) {
  const long long at = kiln::global_index_x();
  const long long n = p.natoms;
  if (at >= n * n) return;
  const long long row = at / n;
  const long long column = at % n;
  if (p.random_density) {
    density[at] = kiln::uniform01(p.seed, row < column ? row * n + column : column * n + row) - 0.25;
  } else {
    density[at] = row == column ? 1.0 : 0.1;
  }
}

// Schwarz's bounds sqrt |(ij|ij)|.
extern "C" __global__ void make_schwarz(double* __restrict__ schwarz, const double* __restrict__ basis,
                                        const double* __restrict__ geometry, const Params p) {
  const long long ij = kiln::global_index_x();
  const long long n = p.natoms;
  if (ij >= n * (n + 1) / 2) return;
  const Pair atoms = unpack(ij);
  const int primitives = p.ngauss * p.ngauss;
  Products pair;
  expand(pair, basis, geometry, p.ngauss, atoms.i, atoms.j);
  double integral = 0;
  for (int a = 0; a < primitives; ++a) {
    for (int b = 0; b < primitives; ++b) {
      const Primitive P = pair.list[a];
      const Primitive Q = pair.list[b];
      if (fabs(P.weight) <= p.dtol || fabs(Q.weight) <= p.dtol || fabs(P.weight * Q.weight) <= p.dtol) continue;
      const double alpha = P.exponent * Q.exponent / (P.exponent + Q.exponent);
      const double distance2 =
          (P.x - Q.x) * (P.x - Q.x) + (P.y - Q.y) * (P.y - Q.y) + (P.z - Q.z) * (P.z - Q.z);
      integral += P.weight * Q.weight * sqrt(alpha) * boys(alpha * distance2);
    }
  }
  schwarz[ij] = sqrt(fabs(integral));
}

// What the published codes make on the host: normalised coefficients, coordinates in bohr.
extern "C" __global__ void normalise_basis(double* __restrict__ orbital, const double* __restrict__ basis,
                                           const Params p) {
  const int a = int(threadIdx.x);
  if (a >= p.ngauss) return;
  orbital[2 * a] = basis[2 * a];
  orbital[2 * a + 1] = normalised(basis[2 * a + 1], basis[2 * a]);
}

extern "C" __global__ void convert_geometry(double* __restrict__ centres, const double* __restrict__ geometry,
                                            const Params p) {
  const long long at = kiln::global_index_x();
  if (at < 3ll * p.natoms) centres[at] = bohr(geometry[at]);
}
