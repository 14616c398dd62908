#include "kiln/params.h"

#include "bude.h"

// max(0, min(1, value)), in a form that every compiler turns into vector minima and maxima.
__device__ inline float clamp_to_unit(float value) {
  const float low = value > 0.0f ? value : 0.0f;
  return low < 1.0f ? low : 1.0f;
}

// The energies of ppwi poses for each work-item; neighbouring work-items take neighbouring poses. The cases
// of the formula, "surfaces overlap" (gap < 0) and "in range" (gap < range), are one clamp each: 1 - gap /
// range falls from above 1 at an overlap to 0 at the end of the range. All but the distance depends on types
// only.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_fasten
fasten(float* __restrict__ energies, const float* __restrict__ poses, const Atom* __restrict__ ligand,
       const Atom* __restrict__ protein, const AtomType* __restrict__ forcefield, const Params p) {
  constexpr int ppwi = Params::ppwi;
  const int first = int(blockIdx.x) * (p.wg * ppwi) + int(threadIdx.x);

  // Rows of the rotation matrices and translations, one column a pose.
  float r00[ppwi], r01[ppwi], r02[ppwi], r10[ppwi], r11[ppwi], r12[ppwi], r20[ppwi], r21[ppwi], r22[ppwi];
  float t0[ppwi], t1[ppwi], t2[ppwi];
  for (int l = 0; l < ppwi; ++l) {
    const int wanted = first + l * p.wg;
    // Where no pose is left, the last one again.
    const long long pose = wanted < p.nposes ? wanted : p.nposes - 1;
    const long long n = p.nposes;
    const float sx = sinf(poses[pose]), cx = cosf(poses[pose]);
    const float sy = sinf(poses[pose + n]), cy = cosf(poses[pose + n]);
    const float sz = sinf(poses[pose + 2 * n]), cz = cosf(poses[pose + 2 * n]);
    r00[l] = cy * cz;
    r01[l] = sx * sy * cz - cx * sz;
    r02[l] = cx * sy * cz + sx * sz;
    r10[l] = cy * sz;
    r11[l] = sx * sy * sz + cx * cz;
    r12[l] = cx * sy * sz - sx * cz;
    r20[l] = -sy;
    r21[l] = sx * cy;
    r22[l] = cx * cy;
    t0[l] = poses[pose + 3 * n];
    t1[l] = poses[pose + 4 * n];
    t2[l] = poses[pose + 5 * n];
  }

  float energy[ppwi] = {};
  for (int il = 0; il < p.natlig; ++il) {
    const Atom latom = ligand[il];
    const AtomType ltype = forcefield[latom.type];
    float x[ppwi], y[ppwi], z[ppwi];
    for (int l = 0; l < ppwi; ++l) {
      x[l] = t0[l] + r00[l] * latom.x + r01[l] * latom.y + r02[l] * latom.z;
      y[l] = t1[l] + r10[l] * latom.x + r11[l] * latom.y + r12[l] * latom.z;
      z[l] = t2[l] + r20[l] * latom.x + r21[l] * latom.y + r22[l] * latom.z;
    }

    for (int ip = 0; ip < p.natpro; ++ip) {
      const Atom patom = protein[ip];
      const AtomType ptype = forcefield[patom.type];

      // Each term is a straight line in the distance, clamped: start - distance * slope.
      const float contact = ptype.radius + ltype.radius;
      const float steric_slope = steric_strength / contact;

      const bool flexible = ptype.bond == bond_flexible && ltype.bond == bond_flexible;
      const float charge_slope = 1.0f / (flexible ? charge_range_flexible : charge_range);
      const float charge_start = 1.0f + contact * charge_slope;
      float charge = charge_strength * ltype.charge * ptype.charge;
      if (ptype.bond == bond_either || ltype.bond == bond_either) charge = -fabsf(charge);

      // None between two hydrophilic atoms, or where the protein's atom is neutral.
      const float hp = ptype.hydrophobicity;
      const float hl = ltype.hydrophobicity;
      float solvation = 0.0f;
      float solvation_slope = 0.0f;
      float solvation_start = 0.0f;
      if (hp < 0.0f || (hp > 0.0f && hl < 0.0f)) {
        solvation = (hp < 0.0f && hl > 0.0f ? -hp : hp) + (hp > 0.0f && hl < 0.0f ? -hl : hl);
        solvation_slope = 1.0f / (hp < 0.0f && hl < 0.0f ? solvation_range_alike : solvation_range);
        solvation_start = 1.0f + contact * solvation_slope;
      }

      KILN_SIMD
      for (int l = 0; l < ppwi; ++l) {
        const float dx = x[l] - patom.x;
        const float dy = y[l] - patom.y;
        const float dz = z[l] - patom.z;
        const float distance = sqrtf(dx * dx + dy * dy + dz * dz);
        const float overlap = steric_strength - distance * steric_slope;
        energy[l] += (overlap > 0.0f ? overlap : 0.0f) +
                     charge * clamp_to_unit(charge_start - distance * charge_slope) +
                     solvation * clamp_to_unit(solvation_start - distance * solvation_slope);
      }
    }
  }

  for (int l = 0; l < ppwi; ++l) {
    const int pose = first + l * p.wg;
    if (pose < p.nposes) energies[pose] = 0.5f * energy[l];
  }
}
