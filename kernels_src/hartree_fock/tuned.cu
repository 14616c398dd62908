#include "kiln/params.h"

#include "gaussian.h"
#include "pair_lists.h"

// The lanes of a group (a warp; on a CPU one work-item) take the kets of a chunk side by side, `kets` each, and go
// through bras together. So whatever depends on the bra, and on the kinds of the primitives, is the same in all
// lanes, and lanes part only where their integrals need another branch of the Boys function. Both lists are sorted
// by Schwarz's bound: a chunk's bras end where the bounds do, and neighbours have the same surviving primitives.

extern "C" __global__ void KILN_LAUNCH_BOUNDS_clear_fock_tuned
clear_fock_tuned(double* __restrict__ fock, unsigned long long* __restrict__ next_task, const Params p) {
  const long long at = kiln::global_index_x();
  if (at < (long long)p.natoms * p.natoms) fock[at] = 0;
  if (at == 0) *next_task = 0;
}

// The sum over the lanes of a group, in each of them.
template <int Lanes, class V>
__device__ inline V group_sum(V value) {
#if LANES > 1
  for (int mask = Lanes / 2; mask > 0; mask /= 2) value += kiln::shuffle_xor(value, mask);
#endif
  return value;
}

// sqrt(alpha) F(alpha d^2) for several squared distances: 1 / d far away, a polynomial near.
template <int Kets, bool Middle>
__device__ inline void coulomb(const double (&distance2)[Kets], const Alpha& alpha, double (&value)[Kets]) {
  constexpr double end = Middle ? kBoysMiddle : kBoysEnd;
  double t[Kets];
  bool near = false, middle = false, far = false;
  KILN_UNROLL_ALL
  for (int v = 0; v < Kets; ++v) {
    t[v] = alpha.alpha * distance2[v];
    near |= t[v] < end;
    far |= t[v] >= end;
    middle |= t[v] >= end && t[v] < kBoysEnd;
  }
  if (far) {
    KILN_UNROLL_ALL
    for (int v = 0; v < Kets; ++v) value[v] = rsqrt(distance2[v]);
    if (Middle && middle) {
      KILN_UNROLL_ALL
      for (int v = 0; v < Kets; ++v) {
        const float erfc = t[v] < kBoysEnd ? erfc_of_root(float(t[v])) : 0.0f;
        value[v] = fma(-value[v], double(erfc), value[v]);
      }
    }
  }
  if (near) {
    KILN_UNROLL_ALL
    for (int v = 0; v < Kets; ++v) {
      const double u = fma(t[v], 2 / end, -1.0);
      const double boys = Middle ? horner(boys_to_middle, u) : horner(boys_to_end, u);
      value[v] = t[v] < end ? alpha.root * boys : value[v];
    }
  }
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_build_fock build_fock(
    double* __restrict__ fock, unsigned long long* __restrict__ next_task, const double* __restrict__ density,
    const RankedPair* __restrict__ ranked_pairs, const ChunkPrimitive* __restrict__ chunk_primitives,
    const double* __restrict__ pair_data, const Alpha* __restrict__ alphas, const int* __restrict__ bra_counts,
    const long long* __restrict__ first_tasks, const Params p) {
  constexpr int lanes = LANES, kets = KETS, width = lanes * kets;
  const int lane = int(threadIdx.x) % lanes;
  const long long n = p.natoms;
  const int most = p.ngauss * p.ngauss;
  const int kinds = p.ngauss * (p.ngauss + 1) / 2;
  const float least = float(p.dtol) * 0.999999f;
  const long long chunks = (n * (n + 1) / 2 + width - 1) / width;
  const long long tasks = first_tasks[chunks];

  for (;;) {
    const long long task = group_sum<lanes>(lane == 0 ? (long long)atomicAdd(next_task, 1ull) : 0ll);
    if (task >= tasks) return;
    long long chunk = 0;  // the last one that begins at or before the task
    for (long long behind = chunks; behind - chunk > 1;) {
      const long long middle = (chunk + behind) / 2;
      if (first_tasks[middle] <= task) {
        chunk = middle;
      } else {
        behind = middle;
      }
    }
    const int first_bra = int(task - first_tasks[chunk]) * p.rows;
    const int bras = bra_counts[chunk];
    const int behind_bra = first_bra + p.rows < bras ? first_bra + p.rows : bras;

    const ChunkPrimitive* ket_list = chunk_primitives + chunk * most;
    const double* ket_data = pair_data + chunk * most * 4 * width + lane;
    const int first_ket = int(chunk) * width + lane;
    int k[kets], l[kets];
    double ket_schwarz[kets], share[kets], ket_density[kets], ket_sum[kets];
    double ik_sum[kets], il_sum[kets], ik_density[kets], il_density[kets];
    KILN_UNROLL_ALL
    for (int v = 0; v < kets; ++v) {
      const RankedPair ket = ranked_pairs[first_ket + v * lanes];
      k[v] = ket.i;
      l[v] = ket.j;
      ket_schwarz[v] = ket.schwarz;
      share[v] = ket.i == ket.j ? 0.5 : 1.0;
      ket_density[v] = density[k[v] * n + l[v]];
      ket_sum[v] = 0;
    }

    int i = -1;
    for (int bra = first_bra; bra < behind_bra; ++bra) {
      const int bra_chunk = bra / width;
      const ChunkPrimitive* bra_list = chunk_primitives + (long long)bra_chunk * most;
      const double* bra_data = pair_data + (long long)bra_chunk * most * 4 * width + bra % width;
      const float bra_bound = bra_list[0].bound;

      double integral[kets];
      KILN_UNROLL_ALL
      for (int v = 0; v < kets; ++v) integral[v] = 0;
      for (int b = 0; b < most; ++b) {
        const ChunkPrimitive ket_primitive = ket_list[b];
        if (ket_primitive.bound * bra_bound <= least) break;
        const Alpha* alphas_b = alphas + ket_primitive.kind * kinds;
        double x[kets], y[kets], z[kets], weight[kets];
        KILN_UNROLL_ALL
        for (int v = 0; v < kets; ++v) {
          const double* at = ket_data + b * 4 * width + v * lanes;
          x[v] = at[0];
          y[v] = at[width];
          z[v] = at[2 * width];
          weight[v] = at[3 * width];
        }
        for (int a = 0; a < most; ++a) {
          const ChunkPrimitive bra_primitive = bra_list[a];
          if (ket_primitive.bound * bra_primitive.bound <= least) break;
          const double* at = bra_data + a * 4 * width;
          const double ax = at[0], ay = at[width], az = at[2 * width], a_weight = at[3 * width];
          double distance2[kets], value[kets];
          KILN_UNROLL_ALL
          for (int v = 0; v < kets; ++v) {
            const double dx = ax - x[v], dy = ay - y[v], dz = az - z[v];
            distance2[v] = dx * dx + dy * dy + dz * dz;
          }
          coulomb<kets, MIDDLE>(distance2, alphas_b[bra_primitive.kind], value);
          KILN_UNROLL_ALL
          for (int v = 0; v < kets; ++v) {
            const double product = a_weight * weight[v];
            integral[v] += fabs(product) > p.dtol ? product * value[v] : 0.0;
          }
        }
      }

      // Six additions: two sums stay in registers while i does, one over the chunk's bras, one is of the group.
      const RankedPair pair = ranked_pairs[bra];
      const int j = pair.j;
      const double* i_density = density + pair.i * n;
      const double* j_density = density + j * n;
      if (pair.i != i) {
        KILN_UNROLL_ALL
        for (int v = 0; v < kets; ++v) {
          if (i >= 0 && ket_schwarz[v] > 0) {
            atomicAdd(&fock[i * n + k[v]], -ik_sum[v]);
            atomicAdd(&fock[i * n + l[v]], -il_sum[v]);
          }
          ik_sum[v] = 0;
          il_sum[v] = 0;
          ik_density[v] = i_density[k[v]];
          il_density[v] = i_density[l[v]];
        }
        i = pair.i;
      }
      const double bra_share = i == j ? 0.5 : 1.0;
      const double ij_density = i_density[j];
      double ij_sum = 0;
      KILN_UNROLL_ALL
      for (int v = 0; v < kets; ++v) {
        const int ket = first_ket + v * lanes;
        if (bra > ket || pair.schwarz * ket_schwarz[v] <= p.dtol) continue;
        const double both = bra == ket ? 0.5 * bra_share * share[v] : bra_share * share[v];
        const double e = integral[v] * both;
        ij_sum += ket_density[v] * e;
        ket_sum[v] += ij_density * e;
        ik_sum[v] += j_density[l[v]] * e;
        il_sum[v] += j_density[k[v]] * e;
        atomicAdd(&fock[j * n + k[v]], -il_density[v] * e);
        atomicAdd(&fock[j * n + l[v]], -ik_density[v] * e);
      }
      ij_sum = group_sum<lanes>(ij_sum);
      if (lane == 0) atomicAdd(&fock[i * n + j], 4.0 * ij_sum);
    }
    KILN_UNROLL_ALL
    for (int v = 0; v < kets; ++v) {
      if (i >= 0 && ket_schwarz[v] > 0) {
        atomicAdd(&fock[i * n + k[v]], -ik_sum[v]);
        atomicAdd(&fock[i * n + l[v]], -il_sum[v]);
        atomicAdd(&fock[k[v] * n + l[v]], 4.0 * ket_sum[v]);
      }
    }
  }
}
