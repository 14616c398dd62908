#include "kiln/params.h"

#include "bude.h"

// The pairs of a pose shared out among work-items. `prepare` makes what depends on a pose alone and on a pair
// of types alone; `fasten_split` keeps, for one ligand atom at a time, a row of ready pairs in shared memory,
// one for each protein atom, of which each work-item takes every split-th.

// The three terms as lines in the distance d, each clamped to [0, 1]: strength * clamp(start + d * slope).
// The steric one starts at 1 and has the same strength everywhere.
struct alignas(16) PairTerms {
  float steric_slope, charge, charge_slope, charge_start, solvation, solvation_slope, solvation_start, unused;
};

// A protein atom as one ligand atom sees it; three accesses of 16 bytes.
struct alignas(16) Pair {
  float x, y, z, steric_slope;
  float charge, charge_slope, charge_start, solvation;
  float solvation_slope, solvation_start, unused[2];
};

__device__ inline PairTerms terms_of(AtomType ltype, AtomType ptype) {
  const float contact = ptype.radius + ltype.radius;
  const bool flexible = ptype.bond == bond_flexible && ltype.bond == bond_flexible;
  const bool attracts = ptype.bond == bond_either || ltype.bond == bond_either;
  const float charge = charge_strength * ltype.charge * ptype.charge;
  const float hp = ptype.hydrophobicity;
  const float hl = ltype.hydrophobicity;
  PairTerms terms = {};
  terms.steric_slope = -1.0f / contact;
  terms.charge = attracts ? -fabsf(charge) : charge;
  terms.charge_slope = -1.0f / (flexible ? charge_range_flexible : charge_range);
  terms.charge_start = 1.0f - contact * terms.charge_slope;
  // None between two hydrophilic atoms, or where the protein's atom is neutral.
  if (hp < 0.0f || (hp > 0.0f && hl < 0.0f)) {
    terms.solvation = (hp < 0.0f && hl > 0.0f ? -hp : hp) + (hp > 0.0f && hl < 0.0f ? -hl : hl);
    terms.solvation_slope = -1.0f / (hp < 0.0f && hl < 0.0f ? solvation_range_alike : solvation_range);
    terms.solvation_start = 1.0f - contact * terms.solvation_slope;
  }
  return terms;
}

// One work-item for each pose and for each pair of types, whichever are more. frames[12][nposes]: the rows of
// the rotation matrix, then the translation.
extern "C" __global__ void prepare(float* __restrict__ frames, PairTerms* __restrict__ terms,
                                   const float* __restrict__ poses, const AtomType* __restrict__ forcefield,
                                   const Params p) {
  const long long i = kiln::global_index_x();
  const long long n = p.nposes;
  if (i < (long long)p.ntypes * p.ntypes) {
    terms[i] = terms_of(forcefield[i / p.ntypes], forcefield[i % p.ntypes]);
  }
  if (i >= n) return;
  const float sx = sinf(poses[i]), cx = cosf(poses[i]);
  const float sy = sinf(poses[i + n]), cy = cosf(poses[i + n]);
  const float sz = sinf(poses[i + 2 * n]), cz = cosf(poses[i + 2 * n]);
  const float frame[12] = {cy * cz,
                           sx * sy * cz - cx * sz,
                           cx * sy * cz + sx * sz,
                           cy * sz,
                           sx * sy * sz + cx * cz,
                           cx * sy * sz - sx * cz,
                           -sy,
                           sx * cy,
                           cx * cy,
                           poses[i + 3 * n],
                           poses[i + 4 * n],
                           poses[i + 5 * n]};
  KILN_UNROLL_ALL
  for (int k = 0; k < 12; ++k) frames[i + k * n] = frame[k];
}

// Adds the terms of a pair to the energies of a work-item's poses.
template <int ppwi>
__device__ inline void add_pair(const Pair& q, const float (&x)[ppwi], const float (&y)[ppwi],
                                const float (&z)[ppwi], float (&energy)[ppwi]) {
  KILN_UNROLL_ALL
  for (int l = 0; l < ppwi; ++l) {
    const float dx = x[l] - q.x;
    const float dy = y[l] - q.y;
    const float dz = z[l] - q.z;
    const float d = kiln::approximate_sqrt(fmaf(dx, dx, fmaf(dy, dy, dz * dz)));
    const float steric = kiln::saturated_fma(d, q.steric_slope, 1.0f);
    const float charge = kiln::saturated_fma(d, q.charge_slope, q.charge_start);
    const float solvation = kiln::saturated_fma(d, q.solvation_slope, q.solvation_start);
    energy[l] = fmaf(steric_strength, steric, energy[l]);
    energy[l] = fmaf(q.charge, charge, energy[l]);
    energy[l] = fmaf(q.solvation, solvation, energy[l]);
  }
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_fasten_split fasten_split(
    float* __restrict__ energies, const float* __restrict__ frames, const PairTerms* __restrict__ terms,
    const Atom* __restrict__ ligand, const Atom* __restrict__ protein, const Params p) {
  constexpr int ppwi = Params::ppwi;
  constexpr int split = Params::split;
  constexpr int unroll = Params::unroll;
  extern __shared__ Pair row[];  // tile of them; at the end the work-items' energies

  // Neighbouring work-items take neighbouring poses; `part` is which of the atoms.
  const int lanes = p.wg / split;
  const int item = int(threadIdx.x);
  const int lane = item % lanes;
  const int part = item / lanes;
  const long long first = (long long)blockIdx.x * (lanes * ppwi) + lane;
  const long long n = p.nposes;

  float energy[ppwi] = {};
  for (int begin = 0; begin < p.natpro; begin += p.tile) {
    const int left = p.natpro - begin;
    const int count = left < p.tile ? left : p.tile;

    for (int il = 0; il < p.natlig; ++il) {
      const Atom latom = ligand[il];
      __syncthreads();  // the row before this one is no longer needed
      for (int i = item; i < count; i += p.wg) {
        const Atom patom = protein[begin + i];
        const PairTerms pair = terms[(long long)latom.type * p.ntypes + patom.type];
        row[i] = Pair{patom.x,
                      patom.y,
                      patom.z,
                      pair.steric_slope,
                      pair.charge,
                      pair.charge_slope,
                      pair.charge_start,
                      pair.solvation,
                      pair.solvation_slope,
                      pair.solvation_start,
                      {}};
      }

      float x[ppwi], y[ppwi], z[ppwi];
      KILN_UNROLL_ALL
      for (int l = 0; l < ppwi; ++l) {
        const long long wanted = first + l * lanes;
        const long long pose = wanted < n ? wanted : n - 1;  // where none is left, the last again
        const float* __restrict__ frame = frames + pose;
        x[l] = frame[9 * n] + frame[0] * latom.x + frame[n] * latom.y + frame[2 * n] * latom.z;
        y[l] = frame[10 * n] + frame[3 * n] * latom.x + frame[4 * n] * latom.y + frame[5 * n] * latom.z;
        z[l] = frame[11 * n] + frame[6 * n] * latom.x + frame[7 * n] * latom.y + frame[8 * n] * latom.z;
      }
      __syncthreads();

      int i = part;
      if (unroll > 1) {
        for (; i + (unroll - 1) * split < count; i += unroll * split) {
          Pair pairs[unroll];
          KILN_UNROLL_ALL
          for (int u = 0; u < unroll; ++u) pairs[u] = row[i + u * split];
          KILN_UNROLL_ALL
          for (int u = 0; u < unroll; ++u) add_pair<ppwi>(pairs[u], x, y, z, energy);
        }
      }
      for (; i < count; i += split) {
        const Pair q = row[i];
        add_pair<ppwi>(q, x, y, z, energy);
      }
    }
  }

  float* sums = reinterpret_cast<float*>(row);
  for (int l = 0; l < ppwi; ++l) {
    __syncthreads();
    sums[item] = energy[l];
    __syncthreads();
    const long long pose = first + l * lanes;
    if (part > 0 || pose >= n) continue;
    float sum = energy[l];
    for (int other = 1; other < split; ++other) sum += sums[other * lanes + lane];
    energies[pose] = 0.5f * sum;
  }
}
