#include "kiln/params.h"

#include "gaussian.h"
#include "pair_lists.h"

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

// What depends on the basis alone: a Slot for each product of primitives a and b, a Meeting for each two
// products, and for each two kinds of them alpha.
extern "C" __global__ void tabulate_basis(Slot* __restrict__ slots, Meeting* __restrict__ meetings,
                                          Alpha* __restrict__ alphas, const double* __restrict__ basis,
                                          const Params p) {
  const int most = p.ngauss * p.ngauss;
  const int kinds = p.ngauss * (p.ngauss + 1) / 2;
  const int at = int(kiln::global_index_x());
  if (at >= (most + 1) * most) return;
  const int ab = at % most, cd = at / most;
  const int a = ab / p.ngauss, b = ab % p.ngauss;
  const double xa = basis[2 * a], xb = basis[2 * b];
  const double P = xa + xb;
  if (cd == most) {
    const double coefficient = normalised(basis[2 * a + 1], xa) * normalised(basis[2 * b + 1], xb);
    slots[ab] = Slot{xa * xb / P, coefficient / (P * sqrt(P)), xa / P, xb / P};
    return;
  }
  const int c = cd / p.ngauss, d = cd % p.ngauss;
  const double xc = basis[2 * c], xd = basis[2 * d];
  const double Q = xc + xd;
  const double alpha = P * Q / (P + Q);
  const double between = xb / P - xd / Q;
  meetings[ab * most + cd] = Meeting{alpha * (between * between), sqrt(alpha)};
  if (a >= b && c >= d) alphas[kind_of(a, b) * kinds + kind_of(c, d)] = Alpha{alpha, sqrt(alpha)};
}

constexpr int kBoundPairs = Params::bound_shares == 1 ? 1 : 32;  // of a block

// boys() by the polynomial and by a root, so that several can be under way at a time.
__device__ inline double boys_without_branch(double t) {
  const double u = fmin(t, kBoysEnd) * (2 / kBoysEnd) - 1;
  double near = boys_terms[kBoysTerms - 1];
  KILN_UNROLL_ALL
  for (int term = kBoysTerms - 2; term >= 0; --term) near = fma(near, u, boys_terms[term]);
  return t < kBoysEnd ? near : kiln::fast_rsqrt(fmax(t, kBoysEnd));
}

// Schwarz's bounds sqrt |(ij|ij)|: work-items along y share out the products of a pair's primitives, as few
// blocks have to be quick. (ab|cd) and (cd|ab) are equal.
extern "C" __global__ void make_schwarz(double* __restrict__ schwarz, const Slot* __restrict__ slots,
                                        const Meeting* __restrict__ meetings,
                                        const double* __restrict__ geometry, const Params p) {
  constexpr int most = Params::ngauss * Params::ngauss;
  constexpr int shares = Params::bound_shares;
  constexpr int together = 4;
  __shared__ double weights[most][kBoundPairs], sums[shares][kBoundPairs];
  const int x = int(threadIdx.x);
  const int y = shares == 1 ? 0 : int(threadIdx.y);
  const long long n = p.natoms;
  const long long ij = (long long)blockIdx.x * kBoundPairs + x;
  const bool is_there = ij < n * (n + 1) / 2;
  const Pair atoms = unpack(is_there ? ij : 0);
  double distance2 = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double between = bohr(geometry[3 * atoms.i + axis]) - bohr(geometry[3 * atoms.j + axis]);
    distance2 += between * between;
  }
  KILN_UNROLL(1)
  for (int ab = y; ab < most; ab += shares) {
    const double weight = slots[ab].coefficient * exp(-slots[ab].exponent * distance2);
    weights[ab][x] = fabs(weight) > p.dtol ? weight : 0;
  }
  if (shares > 1) __syncthreads();
  double integral = 0;
  KILN_UNROLL(1)
  for (int ab = y; ab < most; ab += shares) {
    KILN_UNROLL(1)
    for (int first = 0; first <= ab; first += together) {
      KILN_UNROLL_ALL
      for (int k = 0; k < together; ++k) {
        const int cd = first + k < ab ? first + k : ab;
        const Meeting meeting = meetings[ab * most + cd];
        const double weight = weights[ab][x] * weights[cd][x];
        const double share = fabs(weight) <= p.dtol || first + k > ab ? 0.0 : cd < ab ? 2 * weight : weight;
        integral += share * meeting.root * boys_without_branch(meeting.alpha * distance2);
      }
    }
  }
  if (shares > 1) {
    sums[y][x] = integral;
    __syncthreads();
    for (int other = 1; y == 0 && other < shares; ++other) integral += sums[other][x];
  }
  if (y == 0 && is_there) schwarz[ij] = sqrt(fabs(integral));
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
