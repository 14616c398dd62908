#pragma once

// Records and constants of the BUDE force field, as in the deck's files.

struct Atom {
  float x, y, z;
  int type;
};

struct AtomType {
  int bond;              // hydrogen bonding: an ASCII code
  float radius;          // angstrom
  float hydrophobicity;  // sign: < 0 hydrophobic, > 0 hydrophilic
  float charge;
};

constexpr int bond_flexible = 'F';  // both charged: longer range
constexpr int bond_either = 'E';    // donor and acceptor: always attracts

constexpr float steric_strength = 76.0f;
constexpr float charge_strength = 45.0f;
constexpr float charge_range_flexible = 4.0f;  // of the gap between two surfaces, angstrom
constexpr float charge_range = 2.0f;
constexpr float solvation_range_alike = 5.5f;  // both hydrophobic
constexpr float solvation_range = 1.0f;
