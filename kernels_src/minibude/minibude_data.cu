#include "kiln/params.h"

#include "bude.h"

// A deck of the shape of bm1 (a small ligand in the pocket of a globular protein) when no deck is given. Each
// value is a function of the seed and its index alone, so that every device makes the same deck.

enum Stream { ligand_atoms = 1, protein_atoms, atom_types, pose_numbers };

// Component 0 to 7 of the random numbers for item `index`.
__device__ inline float draw(const Params p, Stream stream, int index, int component, float low, float high) {
  return low + (high - low) * float(kiln::uniform01(p.seed, 8ull * index + component, stream));
}

// A point in a shell around the origin, evenly by volume.
__device__ inline Atom draw_atom(const Params p, Stream stream, int index, float inner, float outer) {
  const float pi = 3.14159265f;
  const float z = draw(p, stream, index, 0, -1.0f, 1.0f);
  const float angle = draw(p, stream, index, 1, -pi, pi);
  const float volume = draw(p, stream, index, 2, inner * inner * inner, outer * outer * outer);
  const float radius = cbrtf(volume);
  const float ring = radius * sqrtf(1.0f - z * z);
  // Types are drawn from the first two fifths more often: proteins are mostly carbon and hydrogen.
  const float kind = draw(p, stream, index, 3, 0.0f, 1.0f);
  int type = int(kind * kind * float(p.ntypes));
  if (type > p.ntypes - 1) type = p.ntypes - 1;
  return Atom{ring * cosf(angle), ring * sinf(angle), radius * z, type};
}

extern "C" __global__ void make_ligand(Atom* __restrict__ ligand, const Params p) {
  const int i = int(kiln::global_index_x());
  if (i < p.natlig) ligand[i] = draw_atom(p, ligand_atoms, i, 1.0f, p.ligand_radius);
}

extern "C" __global__ void make_protein(Atom* __restrict__ protein, const Params p) {
  const int i = int(kiln::global_index_x());
  if (i < p.natpro) protein[i] = draw_atom(p, protein_atoms, i, p.pocket_radius, p.protein_radius);
}

extern "C" __global__ void make_forcefield(AtomType* __restrict__ forcefield, const Params p) {
  const int i = int(kiln::global_index_x());
  if (i >= p.ntypes) return;
  // Kinds take turns: apolar, apolar, donor, either, charged.
  const int kind = i % 5;
  AtomType type;
  type.bond = kind < 2 ? '-' : kind == 2 ? 'D' : kind == 3 ? bond_either : bond_flexible;
  type.radius = draw(p, atom_types, i, 0, 1.4f, 1.9f);
  type.hydrophobicity =
      kind < 2 ? draw(p, atom_types, i, 1, -0.8f, -0.2f) : draw(p, atom_types, i, 1, 0.1f, 1.0f);
  if (i % 11 == 10) type.hydrophobicity = 0.0f;
  type.charge = kind < 2 ? 0.0f : draw(p, atom_types, i, 2, -1.0f, 1.0f);
  forcefield[i] = type;
}

// Angles in steps of 10 degrees, translations in whole angstroms within reach, as in miniBUDE's decks.
extern "C" __global__ void make_poses(float* __restrict__ poses, const Params p) {
  const int i = int(kiln::global_index_x());
  if (i >= p.nposes) return;
  for (int k = 0; k < 6; ++k) {
    const float value = k < 3 ? (floorf(draw(p, pose_numbers, i, k, 0.0f, 36.0f)) - 17.0f) * 0.17453293f
                              : floorf(draw(p, pose_numbers, i, k, 0.0f, 15.0f)) - 7.0f;
    poses[(long long)k * p.nposes + i] = value;
  }
}

// One pose for each work-item, in double, case by case as the formula is written.
extern "C" __global__ void fasten_reference(float* __restrict__ energies_reference,
                                            const float* __restrict__ poses, const Atom* __restrict__ ligand,
                                            const Atom* __restrict__ protein,
                                            const AtomType* __restrict__ forcefield, const Params p) {
  const int pose = int(kiln::global_index_x());
  if (pose >= p.nposes) return;
  double sines[3], cosines[3], shift[3];
  for (int k = 0; k < 3; ++k) {
    const double angle = poses[(long long)k * p.nposes + pose];
    sines[k] = sin(angle);
    cosines[k] = cos(angle);
    shift[k] = poses[(long long)(k + 3) * p.nposes + pose];
  }

  double energy = 0;
  for (int il = 0; il < p.natlig; ++il) {
    const Atom latom = ligand[il];
    const AtomType l = forcefield[latom.type];
    // Turned about x, then y, then z.
    const double y1 = cosines[0] * latom.y - sines[0] * latom.z;
    const double z1 = sines[0] * latom.y + cosines[0] * latom.z;
    const double x2 = cosines[1] * latom.x + sines[1] * z1;
    const double z2 = -sines[1] * latom.x + cosines[1] * z1;
    const double x = cosines[2] * x2 - sines[2] * y1 + shift[0];
    const double y = sines[2] * x2 + cosines[2] * y1 + shift[1];
    const double z = z2 + shift[2];

    for (int ip = 0; ip < p.natpro; ++ip) {
      const Atom patom = protein[ip];
      const AtomType q = forcefield[patom.type];
      const double dx = x - patom.x;
      const double dy = y - patom.y;
      const double dz = z - patom.z;
      const double distance = sqrt(dx * dx + dy * dy + dz * dz);
      const double contact = double(l.radius) + double(q.radius);
      const double gap = distance - contact;
      const bool overlapping = gap < 0;

      if (overlapping) energy += steric_strength * (1 - distance / contact);

      const bool flexible = l.bond == bond_flexible && q.bond == bond_flexible;
      const double reach = flexible ? charge_range_flexible : charge_range;
      if (gap < reach) {
        double charge = double(l.charge) * double(q.charge);
        if (!overlapping) charge *= 1 - gap / reach;
        if (l.bond == bond_either || q.bond == bond_either) charge = charge < 0 ? charge : -charge;
        energy += charge_strength * charge;
      }

      const bool fears_l = l.hydrophobicity < 0;
      const bool fears_q = q.hydrophobicity < 0;
      if (q.hydrophobicity == 0 || (!fears_q && !fears_l)) continue;
      const double range = fears_q && fears_l ? solvation_range_alike : solvation_range;
      if (gap >= range) continue;
      double solvation = q.hydrophobicity * (fears_q && l.hydrophobicity > 0 ? -1.0 : 1.0);
      solvation += l.hydrophobicity * (fears_l && q.hydrophobicity > 0 ? -1.0 : 1.0);
      energy += overlapping ? solvation : solvation * (1 - gap / range);
    }
  }
  energies_reference[pose] = float(energy / 2);
}
