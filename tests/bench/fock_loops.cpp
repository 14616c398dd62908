// Compiled twice, as fasten_loop.cpp: the second time with -fno-math-errno and names that end with _no_errno.
#include "fock_loops.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

// The polynomial of the Boys function, with nothing before the names that only a kernel needs.
#define __device__
#define __constant__ static const
#include "boys.h"

#ifdef KILN_BENCH_NO_ERRNO
#define KILN_BENCH_NAME(name) name##_no_errno
#else
#define KILN_BENCH_NAME(name) name
#endif

namespace kiln::bench {
namespace {

/// The thread's own matrix goes to the shared one.
void add_to(double* fock, const std::vector<double>& mine) {
#pragma omp critical
  for (std::size_t at = 0; at < mine.size(); ++at) fock[at] += mine[at];
}

/// Adds the integrals of one bra primitive with one primitive of each ket of a chunk: `ket` holds x, y, z and
/// weight, kChunk of each. Not inlined, so that g++ makes vector code of it on its own.
__attribute__((noinline)) void add_integrals(double* __restrict__ integral, const double* __restrict__ ket,
                                             const double (&bra)[4], const Alpha& alpha, double dtol) {
  alignas(64) double distance2[kChunk], weight[kChunk];
  const double far = kBoysEnd / alpha.alpha;
  int some_far = 0, some_near = 0;
#pragma omp simd reduction(| : some_far, some_near)
  for (int v = 0; v < kChunk; ++v) {
    const double dx = bra[0] - ket[v], dy = bra[1] - ket[kChunk + v], dz = bra[2] - ket[2 * kChunk + v];
    distance2[v] = dx * dx + dy * dy + dz * dz;
    const double product = bra[3] * ket[3 * kChunk + v];
    weight[v] = std::fabs(product) > dtol ? product : 0.0;
    some_far |= distance2[v] >= far ? 1 : 0;
    some_near |= distance2[v] >= far ? 0 : 1;
  }
  if (some_far != 0) {
#pragma omp simd
    for (int v = 0; v < kChunk; ++v) {
      const bool is_far = distance2[v] >= far;
      integral[v] += (is_far ? weight[v] : 0.0) / std::sqrt(is_far ? distance2[v] : 1.0);
    }
  }
  if (some_near != 0) {
    const double scale = alpha.alpha * (2 / kBoysEnd);
#pragma omp simd
    for (int v = 0; v < kChunk; ++v) {
      const bool is_far = distance2[v] >= far;
      const double u = (is_far ? 0.0 : distance2[v]) * scale - 1.0;
      double value = boys_terms[kBoysTerms - 1];
#pragma GCC unroll 32
      for (int term = kBoysTerms - 2; term >= 0; --term) value = value * u + boys_terms[term];
      integral[v] += (is_far ? 0.0 : weight[v]) * alpha.root * value;
    }
  }
}

/// The integrals of one bra, of rank `rank`, with the kets of a chunk.
void integrate(double* integral, const PairLists& lists, std::ptrdiff_t chunk, int rank, int ngauss,
               double dtol) {
  const int products = ngauss * ngauss;
  const int kinds = ngauss * (ngauss + 1) / 2;
  const auto least = static_cast<float>(dtol) * 0.999999F;
  const ChunkPrimitive* ket_list = lists.chunk_primitives + chunk * products;
  const double* ket_data = lists.pair_data + chunk * products * 4 * kChunk;
  const ChunkPrimitive* bra_list =
      lists.chunk_primitives + static_cast<std::ptrdiff_t>(rank / kChunk) * products;
  const double* bra_data =
      lists.pair_data + static_cast<std::ptrdiff_t>(rank / kChunk) * products * 4 * kChunk + rank % kChunk;
  for (int b = 0; b < products && ket_list[b].bound * bra_list[0].bound > least; ++b) {
    for (int a = 0; a < products && ket_list[b].bound * bra_list[a].bound > least; ++a) {
      const double* from = bra_data + a * 4 * kChunk;
      const double bra[4] = {from[0], from[kChunk], from[2 * kChunk], from[3 * kChunk]};
      add_integrals(integral, ket_data + b * 4 * kChunk, bra,
                    lists.alphas[ket_list[b].kind * kinds + bra_list[a].kind], dtol);
    }
  }
}

struct Point {
  double x, y, z;
};

Point atom(const double* centres, int i) {
  return {centres[3 * i], centres[3 * i + 1], centres[3 * i + 2]};
}

double distance2(const Point& a, const Point& b) {
  return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z);
}

/// One contracted integral, all Gaussian products made anew.
double contracted(const double* orbital, int ngauss, double dtol, const Point& ri, const Point& rj,
                  const Point& rk, const Point& rl) {
  const double ij2 = distance2(ri, rj);
  const double kl2 = distance2(rk, rl);
  double integral = 0;
  for (int a = 0; a < ngauss; ++a) {
    for (int b = 0; b < ngauss; ++b) {
      const double xa = orbital[2 * a], xb = orbital[2 * b];
      const double bra = 1.0 / (xa + xb);
      const double bra_weight =
          orbital[2 * a + 1] * orbital[2 * b + 1] * std::exp(-xa * xb * bra * ij2) * (bra * std::sqrt(bra));
      if (std::fabs(bra_weight) <= dtol) continue;
      const Point p = {bra * (xa * ri.x + xb * rj.x), bra * (xa * ri.y + xb * rj.y),
                       bra * (xa * ri.z + xb * rj.z)};
      for (int c = 0; c < ngauss; ++c) {
        for (int d = 0; d < ngauss; ++d) {
          const double xc = orbital[2 * c], xd = orbital[2 * d];
          const double ket = 1.0 / (xc + xd);
          const double ket_weight = orbital[2 * c + 1] * orbital[2 * d + 1] * std::exp(-xc * xd * ket * kl2) *
                                    (ket * std::sqrt(ket));
          const double weight = bra_weight * ket_weight;
          if (std::fabs(ket_weight) <= dtol || std::fabs(weight) <= dtol) continue;
          const Point q = {ket * (xc * rk.x + xd * rl.x), ket * (xc * rk.y + xd * rl.y),
                           ket * (xc * rk.z + xd * rl.z)};
          const double alpha = (xa + xb) * (xc + xd) / (xa + xb + xc + xd);
          integral += weight * std::sqrt(alpha) * boys(alpha * distance2(p, q));
        }
      }
    }
  }
  return integral;
}

}  // namespace

void KILN_BENCH_NAME(build_fock)(double* fock, const PairLists& lists, int natoms, int ngauss, double dtol) {
  const std::ptrdiff_t n = natoms;
  const std::ptrdiff_t chunks = (n * (n + 1) / 2 + kChunk - 1) / kChunk;
  std::fill(fock, fock + n * n, 0.0);
#pragma omp parallel
  {
    std::vector<double> mine(static_cast<std::size_t>(n * n));
    double* f = mine.data();
    const double* d = lists.density;
#pragma omp for schedule(dynamic)
    for (std::ptrdiff_t chunk = 0; chunk < chunks; ++chunk) {
      const RankedPair* kets = lists.ranked_pairs + chunk * kChunk;
      for (int rank = 0; rank < lists.bra_counts[chunk]; ++rank) {
        alignas(64) double integral[kChunk] = {};
        integrate(integral, lists, chunk, rank, ngauss, dtol);
        const RankedPair& bra = lists.ranked_pairs[rank];
        for (int v = 0; v < kChunk; ++v) {
          const RankedPair& ket = kets[v];
          const std::ptrdiff_t ket_rank = chunk * kChunk + v;
          if (rank > ket_rank || bra.schwarz * ket.schwarz <= dtol) continue;
          const double share =
              (bra.i == bra.j ? 0.5 : 1.0) * (ket.i == ket.j ? 0.5 : 1.0) * (rank == ket_rank ? 0.5 : 1.0);
          const double e = integral[v] * share;
          f[bra.i * n + bra.j] += 4.0 * d[ket.i * n + ket.j] * e;
          f[ket.i * n + ket.j] += 4.0 * d[bra.i * n + bra.j] * e;
          f[bra.i * n + ket.i] -= d[bra.j * n + ket.j] * e;
          f[bra.i * n + ket.j] -= d[bra.j * n + ket.i] * e;
          f[bra.j * n + ket.i] -= d[bra.i * n + ket.j] * e;
          f[bra.j * n + ket.j] -= d[bra.i * n + ket.i] * e;
        }
      }
    }
    add_to(fock, mine);
  }
}

void KILN_BENCH_NAME(build_fock_quartets)(double* fock, const Orbitals& orbitals, int natoms, int ngauss,
                                          double dtol) {
  const std::ptrdiff_t n = natoms;
  std::fill(fock, fock + n * n, 0.0);
#pragma omp parallel
  {
    std::vector<double> mine(static_cast<std::size_t>(n * n));
    double* f = mine.data();
    const double* d = orbitals.density;
#pragma omp for schedule(dynamic) collapse(2)
    for (int i = 0; i < natoms; ++i) {
      for (int j = 0; j < natoms; ++j) {
        if (j > i) continue;
        const std::ptrdiff_t ij = static_cast<std::ptrdiff_t>(i) * (i + 1) / 2 + j;
        const Point ri = atom(orbitals.centres, i), rj = atom(orbitals.centres, j);
        for (int k = 0; k <= i; ++k) {
          const Point rk = atom(orbitals.centres, k);
          for (int l = 0; l <= (k == i ? j : k); ++l) {
            const std::ptrdiff_t kl = static_cast<std::ptrdiff_t>(k) * (k + 1) / 2 + l;
            if (orbitals.schwarz[ij] * orbitals.schwarz[kl] <= dtol) continue;
            const double share = (i == j ? 0.5 : 1.0) * (k == l ? 0.5 : 1.0) * (ij == kl ? 0.5 : 1.0);
            const double e =
                share * contracted(orbitals.orbital, ngauss, dtol, ri, rj, rk, atom(orbitals.centres, l));
            f[i * n + j] += 4.0 * d[k * n + l] * e;
            f[k * n + l] += 4.0 * d[i * n + j] * e;
            f[i * n + k] -= d[j * n + l] * e;
            f[i * n + l] -= d[j * n + k] * e;
            f[j * n + k] -= d[i * n + l] * e;
            f[j * n + l] -= d[i * n + k] * e;
          }
        }
      }
    }
    add_to(fock, mine);
  }
}

}  // namespace kiln::bench
