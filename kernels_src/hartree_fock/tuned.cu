#include "kiln/params.h"

#include "boys.h"
#include "pair_lists.h"

// The lanes of a group (a warp; on a CPU one work-item) take the kets of a chunk side by side, `kets` each, and go
// through bras together. So whatever depends on the bra, and on the kinds of the primitives, is the same in all
// lanes, and lanes differ only in whether an integral is near or far. Both lists are sorted by Schwarz's bound: a
// chunk's bras end where the bounds do, and neighbours have the same surviving primitives. What is read of a ket
// serves `bras` bras.

constexpr int kLanes = Params::lanes;
constexpr int kKets = Params::kets;
constexpr int kWidth = kLanes * kKets;
constexpr int kBras = Params::bras;
constexpr bool kAhead = Params::ahead;
constexpr int kGroups = Params::block / kLanes;  // of a block
constexpr int kMost = Params::ngauss * Params::ngauss;
constexpr int kKinds = Params::ngauss * (Params::ngauss + 1) / 2;

extern "C" __global__ void KILN_LAUNCH_BOUNDS_clear_fock_tuned
clear_fock_tuned(double* __restrict__ fock, unsigned long long* __restrict__ next_task, const Params p) {
  const long long at = kiln::global_index_x();
  if (at < (long long)p.natoms * p.natoms) fock[at] = 0;
  if (at == 0) *next_task = 0;
}

// The sum over the lanes of a group, in each of them.
template <class V>
__device__ inline V group_sum(V value) {
  for (int mask = kLanes / 2; mask > 0; mask /= 2) value += kiln::shuffle_xor(value, mask);
  return value;
}

__device__ inline void sync_group() {
  if (kLanes > 1) kiln::sync_warp();
}

// Positive doubles order as their high words do, but for the last 20 bits.
__device__ inline bool is_far(double distance2, int far_word) {
  return __double2hiint(distance2) >= far_word;
}

struct __align__(16) Centre {
  double x, y, z, weight;
};

// A bra primitive's bound on its weight, and its place among the alphas of a ket primitive.
struct __align__(8) Leading {
  float bound;
  int kind;
};

// For two kinds of primitives: u = scale d^2 - 1 is the polynomial's variable; root = sqrt(alpha).
struct __align__(16) Near {
  double scale, root;
};

// The primitives of a group's bras, with a bound of 0 behind the last; and a table of what two kinds need: `far` is
// the high word of the squared distance from which an integral is far.
struct Shared {
  Centre centres[kGroups][kBras][kMost];
  Leading leading[kGroups][kBras][kMost + 1];
  Near near[kKinds * kKinds];
  int far[kKinds * kKinds];
};

// A primitive of each ket of a lane.
struct Kets {
  double x[kKets], y[kKets], z[kKets], weight[kKets];
};

// `primitives`: of a lane's kets, which are `kLanes` apart.
__device__ inline void load_kets(Kets& kets, const double* __restrict__ primitives) {
  for (int v = 0; v < kKets; ++v) {
    const double* from = primitives + v * kLanes;
    kets.x[v] = from[0];
    kets.y[v] = from[kWidth];
    kets.z[v] = from[2 * kWidth];
    kets.weight[v] = from[3 * kWidth];
  }
}

// Adds the integrals of one bra primitive with one primitive of each of `kKets` kets.
__device__ inline void add_integrals(const Centre& bra, const Kets& kets, const Near& near, int far_word,
                                     double dtol, double (&integral)[kKets]) {
  double distance2[kKets], weight[kKets];
  int some_far = 0, some_near = 0;
  for (int v = 0; v < kKets; ++v) {
    const double dx = bra.x - kets.x[v], dy = bra.y - kets.y[v], dz = bra.z - kets.z[v];
    distance2[v] = fma(dz, dz, fma(dy, dy, fma(dx, dx, 0x1p-600)));  // so that a root can be taken
    const double product = bra.weight * kets.weight[v];
    weight[v] = fabs(product) > dtol ? product : 0.0;
    some_far |= is_far(distance2[v], far_word) ? 1 : 0;
    some_near |= is_far(distance2[v], far_word) ? 0 : 1;
  }
  if (some_far != 0) {
    for (int v = 0; v < kKets; ++v) {
      const double far_weight = is_far(distance2[v], far_word) ? weight[v] : 0.0;
      integral[v] = fma(far_weight, kiln::fast_rsqrt(distance2[v]), integral[v]);
    }
  }
  if (some_near != 0) {
    for (int v = 0; v < kKets; ++v) {
      const bool far = is_far(distance2[v], far_word);
      const double u = fma(far ? 0.0 : distance2[v], near.scale, -1.0);
      double boys = boys_terms[kBoysTerms - 1];
      KILN_UNROLL_ALL
      for (int term = kBoysTerms - 2; term >= 0; --term) boys = fma(boys, u, boys_terms[term]);
      integral[v] = fma((far ? 0.0 : weight[v]) * near.root, boys, integral[v]);
    }
  }
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_build_fock build_fock(
    double* __restrict__ fock, unsigned long long* __restrict__ next_task, const double* __restrict__ density,
    const RankedPair* __restrict__ ranked_pairs, const ChunkPrimitive* __restrict__ chunk_primitives,
    const double* __restrict__ pair_data, const Alpha* __restrict__ alphas, const int* __restrict__ bra_counts,
    const long long* __restrict__ first_tasks, const Params p) {
  __shared__ Shared shared;
  const int lane = int(threadIdx.x) % kLanes;
  const int group = int(threadIdx.x) / kLanes;
  const long long n = p.natoms;
  const float least = float(p.dtol) * 0.999999f;
  const long long chunks = (n * (n + 1) / 2 + kWidth - 1) / kWidth;
  const long long tasks = first_tasks[chunks];

  for (int at = int(threadIdx.x); at < kKinds * kKinds; at += int(blockDim.x)) {
    shared.near[at] = Near{alphas[at].alpha * (2 / kBoysEnd), alphas[at].root};
    shared.far[at] = __double2hiint(kBoysEnd / alphas[at].alpha);
  }
  __syncthreads();

  for (;;) {
    const long long task = group_sum(lane == 0 ? (long long)atomicAdd(next_task, 1ull) : 0ll);
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

    const ChunkPrimitive* ket_list = chunk_primitives + chunk * kMost;
    const double* ket_data = pair_data + chunk * kMost * 4 * kWidth + lane;
    const int first_ket = int(chunk) * kWidth + lane;
    int k[kKets], l[kKets];
    double ket_schwarz[kKets], ket_share[kKets], ket_density[kKets], ket_sum[kKets];
    for (int v = 0; v < kKets; ++v) {
      const RankedPair ket = ranked_pairs[first_ket + v * kLanes];
      k[v] = ket.i;
      l[v] = ket.j;
      ket_schwarz[v] = ket.schwarz;
      ket_share[v] = ket.i == ket.j ? 0.5 : 1.0;
      ket_density[v] = density[k[v] * n + l[v]];
      ket_sum[v] = 0;
    }

    for (int bra = first_bra; bra < behind_bra; bra += kBras) {
      sync_group();
      float bra_bound = 0;
      KILN_UNROLL_ALL
      for (int r = 0; r < kBras; ++r) {
        const bool is_there = bra + r < behind_bra;
        const int rank = is_there ? bra + r : bra;
        const long long bra_chunk = rank / kWidth;
        const ChunkPrimitive* bra_list = chunk_primitives + bra_chunk * kMost;
        const double* bra_data = pair_data + bra_chunk * kMost * 4 * kWidth + rank % kWidth;
        for (int step = 0; step < (kMost + kLanes - 1) / kLanes; ++step) {
          const int at = step * kLanes + lane;
          if (at >= kMost) break;
          const double* from = bra_data + at * 4 * kWidth;
          shared.centres[group][r][at] = Centre{from[0], from[kWidth], from[2 * kWidth], from[3 * kWidth]};
          shared.leading[group][r][at] = Leading{is_there ? bra_list[at].bound : 0.0f, bra_list[at].kind};
        }
        if (lane == 0) shared.leading[group][r][kMost] = Leading{0, 0};
        bra_bound = fmaxf(bra_bound, bra_list[0].bound);
      }
      sync_group();

      double integral[kBras][kKets];
      for (int r = 0; r < kBras; ++r) {
        for (int v = 0; v < kKets; ++v) integral[r][v] = 0;
      }
      Kets next;
      if (kAhead) load_kets(next, ket_data);
      for (int b = 0; b < kMost; ++b) {
        const float ket_bound = ket_list[b].bound;
        if (ket_bound * bra_bound <= least) break;
        const int kinds = ket_list[b].kind * kKinds;
        Kets kets;
        if (kAhead) {
          kets = next;
          if (b + 1 < kMost) load_kets(next, ket_data + (b + 1) * 4 * kWidth);
        } else {
          load_kets(kets, ket_data + b * 4 * kWidth);
        }
        KILN_UNROLL_ALL
        for (int r = 0; r < kBras; ++r) {
          Leading leading = shared.leading[group][r][0];
          for (int a = 0; ket_bound * leading.bound > least; ++a) {
            const int kind = kinds + leading.kind;
            leading = shared.leading[group][r][a + 1];
            add_integrals(shared.centres[group][r][a], kets, shared.near[kind], shared.far[kind], p.dtol,
                          integral[r]);
          }
        }
      }

      KILN_UNROLL_ALL
      for (int r = 0; r < kBras; ++r) {
        if (bra + r >= behind_bra) break;
        const int rank = bra + r;
        // Six additions: one is summed over the group first, one over the bras of the task.
        const RankedPair pair = ranked_pairs[rank];
        const double* i_density = density + pair.i * n;
        const double* j_density = density + pair.j * n;
        double* i_fock = fock + pair.i * n;
        double* j_fock = fock + pair.j * n;
        const double bra_share = pair.i == pair.j ? 0.5 : 1.0;
        const double ij_density = i_density[pair.j];
        double ij_sum = 0;
        for (int v = 0; v < kKets; ++v) {
          const int ket = first_ket + v * kLanes;
          if (rank > ket || pair.schwarz * ket_schwarz[v] <= p.dtol) continue;
          const double share = rank == ket ? 0.5 * bra_share * ket_share[v] : bra_share * ket_share[v];
          const double e = integral[r][v] * share;
          ij_sum += ket_density[v] * e;
          ket_sum[v] += ij_density * e;
          atomicAdd(&i_fock[k[v]], -j_density[l[v]] * e);
          atomicAdd(&i_fock[l[v]], -j_density[k[v]] * e);
          atomicAdd(&j_fock[k[v]], -i_density[l[v]] * e);
          atomicAdd(&j_fock[l[v]], -i_density[k[v]] * e);
        }
        ij_sum = group_sum(ij_sum);
        if (lane == 0) atomicAdd(&i_fock[pair.j], 4.0 * ij_sum);
      }
    }
    for (int v = 0; v < kKets; ++v) {
      if (ket_schwarz[v] > 0) atomicAdd(&fock[k[v] * n + l[v]], 4.0 * ket_sum[v]);
    }
  }
}
