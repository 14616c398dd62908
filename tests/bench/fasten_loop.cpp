// Compiled twice: with the flags of openmp_loops.cpp, and with -fno-math-errno and names that end with
// _no_errno, since a square root that may set errno keeps g++ from vectorising the loop.
#include <algorithm>
#include <cmath>

#include "openmp_loops.h"

#ifdef KILN_BENCH_NO_ERRNO
#define KILN_BENCH_NAME(name) name##_no_errno
#else
#define KILN_BENCH_NAME(name) name
#endif

namespace kiln::bench {
namespace {

/// Poses that one thread works on at a time, so that the innermost loop has a fixed length.
constexpr int kPoses = 64;

float unit(float value) {
  const float low = value > 0.0F ? value : 0.0F;
  return low < 1.0F ? low : 1.0F;
}

void rotate(const float* poses, std::size_t n, std::size_t pose, int lane, float (&row)[12][kPoses]) {
  const float sx = std::sin(poses[pose]), cx = std::cos(poses[pose]);
  const float sy = std::sin(poses[pose + n]), cy = std::cos(poses[pose + n]);
  const float sz = std::sin(poses[pose + 2 * n]), cz = std::cos(poses[pose + 2 * n]);
  row[0][lane] = cy * cz;
  row[1][lane] = sx * sy * cz - cx * sz;
  row[2][lane] = cx * sy * cz + sx * sz;
  row[3][lane] = poses[pose + 3 * n];
  row[4][lane] = cy * sz;
  row[5][lane] = sx * sy * sz + cx * cz;
  row[6][lane] = cx * sy * sz - sx * cz;
  row[7][lane] = poses[pose + 4 * n];
  row[8][lane] = -sy;
  row[9][lane] = sx * cy;
  row[10][lane] = cx * cy;
  row[11][lane] = poses[pose + 5 * n];
}

/// One protein atom against one ligand atom in all poses. A function of its own, not inlined: g++ otherwise
/// merges two iterations of the loop around it and then finds no SIMD lanes in the loop inside, which costs a
/// factor of ten.
__attribute__((noinline)) void add_pair(float* __restrict__ energy, const float* __restrict__ x,
                                        const float* __restrict__ y, const float* __restrict__ z,
                                        const AtomType& ltype, const Atom& patom, const AtomType& ptype) {
  const float contact = ptype.radius + ltype.radius;
  const float steric_slope = 76.0F / contact;
  const float charge_slope = 1.0F / (ptype.bond == 'F' && ltype.bond == 'F' ? 4.0F : 2.0F);
  const float charge_start = 1.0F + contact * charge_slope;
  float charge = 45.0F * ltype.charge * ptype.charge;
  if (ptype.bond == 'E' || ltype.bond == 'E') charge = -std::fabs(charge);
  const float hp = ptype.hydrophobicity;
  const float hl = ltype.hydrophobicity;
  float solvation = 0, solvation_slope = 0, solvation_start = 0;
  if (hp < 0 || (hp > 0 && hl < 0)) {
    solvation = (hp < 0 && hl > 0 ? -hp : hp) + (hp > 0 && hl < 0 ? -hl : hl);
    solvation_slope = 1.0F / (hp < 0 && hl < 0 ? 5.5F : 1.0F);
    solvation_start = 1.0F + contact * solvation_slope;
  }
#pragma omp simd
  for (int l = 0; l < kPoses; ++l) {
    const float dx = x[l] - patom.x;
    const float dy = y[l] - patom.y;
    const float dz = z[l] - patom.z;
    const float distance = std::sqrt(dx * dx + dy * dy + dz * dz);
    const float overlap = 76.0F - distance * steric_slope;
    energy[l] += (overlap > 0 ? overlap : 0) + charge * unit(charge_start - distance * charge_slope) +
                 solvation * unit(solvation_start - distance * solvation_slope);
  }
}

/// The same with the formula's cases as they are written in the published codes.
__attribute__((noinline)) void add_pair_cases(float* __restrict__ energy, const float* __restrict__ x,
                                              const float* __restrict__ y, const float* __restrict__ z,
                                              const AtomType& ltype, const Atom& patom,
                                              const AtomType& ptype) {
  const float contact = ptype.radius + ltype.radius;
  const float inverse_contact = 1.0F / contact;
  const float charge_end = ptype.bond == 'F' && ltype.bond == 'F' ? 4.0F : 2.0F;
  const float inverse_charge_end = 1.0F / charge_end;
  const float charge = 45.0F * ltype.charge * ptype.charge;
  const bool attracts = ptype.bond == 'E' || ltype.bond == 'E';
  const float hp = ptype.hydrophobicity;
  const float hl = ltype.hydrophobicity;
  const bool solvated = hp < 0 || (hp > 0 && hl < 0);
  const float solvation_end = hp < 0 && hl < 0 ? 5.5F : 1.0F;
  const float inverse_solvation_end = 1.0F / solvation_end;
  const float solvent_end = solvated ? solvation_end : -1e30F;
  const float solvation = (hp < 0 && hl > 0 ? -hp : hp) + (hl < 0 && hp > 0 ? -hl : hl);
#pragma omp simd
  for (int l = 0; l < kPoses; ++l) {
    const float dx = x[l] - patom.x;
    const float dy = y[l] - patom.y;
    const float dz = z[l] - patom.z;
    const float distance = std::sqrt(dx * dx + dy * dy + dz * dz);
    const float gap = distance - contact;
    const bool overlapping = gap < 0;
    const float steric = 76.0F * (1.0F - distance * inverse_contact);
    const float charge_left = overlapping ? 1.0F : 1.0F - gap * inverse_charge_end;
    const float charged = charge * charge_left;
    const float electrostatic = attracts ? -std::fabs(charged) : charged;
    const float solvation_left = overlapping ? 1.0F : 1.0F - gap * inverse_solvation_end;
    const float solvent = solvation * solvation_left;
    energy[l] += (overlapping ? steric : 0.0F) + (gap < charge_end ? electrostatic : 0.0F) +
                 (gap < solvent_end ? solvent : 0.0F);
  }
}

using AddPair = void(float* __restrict__, const float* __restrict__, const float* __restrict__,
                     const float* __restrict__, const AtomType&, const Atom&, const AtomType&);

template <AddPair& kAddPair>
void add_up(float* __restrict__ energies, const float* __restrict__ poses, const Atom* __restrict__ ligand,
            const Atom* __restrict__ protein, const AtomType* __restrict__ forcefield, int nposes, int natlig,
            int natpro) {
#pragma omp parallel for
  for (int first = 0; first < nposes; first += kPoses) {
    alignas(64) float row[12][kPoses];
    alignas(64) float energy[kPoses] = {};
    for (int l = 0; l < kPoses; ++l) {
      rotate(poses, static_cast<std::size_t>(nposes),
             static_cast<std::size_t>(std::min(first + l, nposes - 1)), l, row);
    }
    for (int il = 0; il < natlig; ++il) {
      const Atom latom = ligand[il];
      const AtomType ltype = forcefield[latom.type];
      alignas(64) float x[kPoses], y[kPoses], z[kPoses];
#pragma omp simd
      for (int l = 0; l < kPoses; ++l) {
        x[l] = row[3][l] + row[0][l] * latom.x + row[1][l] * latom.y + row[2][l] * latom.z;
        y[l] = row[7][l] + row[4][l] * latom.x + row[5][l] * latom.y + row[6][l] * latom.z;
        z[l] = row[11][l] + row[8][l] * latom.x + row[9][l] * latom.y + row[10][l] * latom.z;
      }
      for (int ip = 0; ip < natpro; ++ip) {
        kAddPair(energy, x, y, z, ltype, protein[ip], forcefield[protein[ip].type]);
      }
    }
    for (int l = 0; l < kPoses && first + l < nposes; ++l) energies[first + l] = 0.5F * energy[l];
  }
}

}  // namespace

void KILN_BENCH_NAME(fasten)(float* energies, const float* poses, const Atom* ligand, const Atom* protein,
                             const AtomType* forcefield, int nposes, int natlig, int natpro) {
  add_up<add_pair>(energies, poses, ligand, protein, forcefield, nposes, natlig, natpro);
}

void KILN_BENCH_NAME(fasten_cases)(float* energies, const float* poses, const Atom* ligand,
                                   const Atom* protein, const AtomType* forcefield, int nposes, int natlig,
                                   int natpro) {
  add_up<add_pair_cases>(energies, poses, ligand, protein, forcefield, nposes, natlig, natpro);
}

}  // namespace kiln::bench
