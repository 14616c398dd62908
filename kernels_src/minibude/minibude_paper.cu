#include "kiln/params.h"

#include "bude.h"

// The structure of the published kernels: each work-item takes ppwi poses; what depends on a pair of types is
// worked out for each pair of atoms, and the cases of the formula are branches for each pose.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_fasten_paper
fasten_paper(float* __restrict__ energies, const float* __restrict__ poses, const Atom* __restrict__ ligand,
             const Atom* __restrict__ protein, const AtomType* __restrict__ forcefield, const Params p) {
  constexpr int ppwi = Params::ppwi;
  const int first = int(blockIdx.x) * (p.wg * ppwi) + int(threadIdx.x);

  float rotation[ppwi][3][3], shift[ppwi][3], energy[ppwi];
  for (int l = 0; l < ppwi; ++l) {
    const int wanted = first + l * p.wg;
    const long long pose = wanted < p.nposes ? wanted : p.nposes - 1;  // where none is left, the last again
    const long long n = p.nposes;
    const float sx = sinf(poses[pose]), cx = cosf(poses[pose]);
    const float sy = sinf(poses[pose + n]), cy = cosf(poses[pose + n]);
    const float sz = sinf(poses[pose + 2 * n]), cz = cosf(poses[pose + 2 * n]);
    rotation[l][0][0] = cy * cz;
    rotation[l][0][1] = sx * sy * cz - cx * sz;
    rotation[l][0][2] = cx * sy * cz + sx * sz;
    rotation[l][1][0] = cy * sz;
    rotation[l][1][1] = sx * sy * sz + cx * cz;
    rotation[l][1][2] = cx * sy * sz - sx * cz;
    rotation[l][2][0] = -sy;
    rotation[l][2][1] = sx * cy;
    rotation[l][2][2] = cx * cy;
    for (int axis = 0; axis < 3; ++axis) shift[l][axis] = poses[pose + (3 + axis) * n];
    energy[l] = 0.0f;
  }

  for (int il = 0; il < p.natlig; ++il) {
    const Atom latom = ligand[il];
    const AtomType ltype = forcefield[latom.type];
    float position[ppwi][3];
    for (int l = 0; l < ppwi; ++l) {
      for (int axis = 0; axis < 3; ++axis) {
        position[l][axis] = shift[l][axis] + rotation[l][axis][0] * latom.x + rotation[l][axis][1] * latom.y +
                            rotation[l][axis][2] * latom.z;
      }
    }

    for (int ip = 0; ip < p.natpro; ++ip) {
      const Atom patom = protein[ip];
      const AtomType ptype = forcefield[patom.type];

      const float contact = ptype.radius + ltype.radius;
      const float inverse_contact = 1.0f / contact;

      const bool flexible = ptype.bond == bond_flexible && ltype.bond == bond_flexible;
      const float charge_end = flexible ? charge_range_flexible : charge_range;
      const float inverse_charge_end = 1.0f / charge_end;
      const float charge = charge_strength * ltype.charge * ptype.charge;
      const bool attracts = ptype.bond == bond_either || ltype.bond == bond_either;

      const bool fears_p = ptype.hydrophobicity < 0.0f;
      const bool fears_l = ltype.hydrophobicity < 0.0f;
      const bool solvated = fears_p || (ptype.hydrophobicity > 0.0f && fears_l);
      const float solvation_end = fears_p && fears_l ? solvation_range_alike : solvation_range;
      const float inverse_solvation_end = 1.0f / solvation_end;
      const float solvation =
          (fears_p && ltype.hydrophobicity > 0.0f ? -ptype.hydrophobicity : ptype.hydrophobicity) +
          (fears_l && ptype.hydrophobicity > 0.0f ? -ltype.hydrophobicity : ltype.hydrophobicity);

      for (int l = 0; l < ppwi; ++l) {
        const float dx = position[l][0] - patom.x;
        const float dy = position[l][1] - patom.y;
        const float dz = position[l][2] - patom.z;
        const float distance = sqrtf(dx * dx + dy * dy + dz * dz);
        const float gap = distance - contact;
        const bool overlapping = gap < 0.0f;

        if (overlapping) energy[l] += steric_strength * (1.0f - distance * inverse_contact);

        float electrostatic = gap < charge_end ? charge : 0.0f;
        if (!overlapping) electrostatic *= 1.0f - gap * inverse_charge_end;
        if (attracts) electrostatic = -fabsf(electrostatic);
        energy[l] += electrostatic;

        if (solvated && gap < solvation_end) {
          energy[l] += overlapping ? solvation : solvation * (1.0f - gap * inverse_solvation_end);
        }
      }
    }
  }

  for (int l = 0; l < ppwi; ++l) {
    const int pose = first + l * p.wg;
    if (pose < p.nposes) energies[pose] = 0.5f * energy[l];
  }
}
