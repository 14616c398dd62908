#pragma once

// XSBench's random numbers, s <- a s + 1 mod 2^63 with the value s / 2^63, and what a lookup draws from them.

using Word = unsigned long long;

constexpr Word kFactor = 2806196910506780709ull;
constexpr Word kMask = (1ull << 63) - 1;
constexpr int kMaterials = 12;
constexpr int kChannels = 5;   // total, elastic, absorption, fission, nu-fission
constexpr int kPointSize = 6;  // doubles of a grid point: energy and the channels

/// Some steps of the generator in one: s <- factor s + add.
struct Jump {
  Word factor, add;
};

KILN_HOST_DEVICE constexpr Jump jump_of(Word steps) {
  Jump all{1, 0};
  Jump power{kFactor, 1};  // 1, 2, 4, ... steps
  for (; steps > 0; steps >>= 1) {
    if ((steps & 1) != 0) all = Jump{all.factor * power.factor, all.add * power.factor + power.add};
    power = Jump{power.factor * power.factor, power.add * (power.factor + 1)};
  }
  return all;
}

KILN_HOST_DEVICE Word after(Jump jump, Word state) {
  return (jump.factor * state + jump.add) & kMask;
}

KILN_HOST_DEVICE double value_of(Word state) {
  return double((long long)state) * 0x1p-63;
}

/// The state after `steps` numbers from `seed`.
KILN_HOST_DEVICE Word skip(Word seed, Word steps) {
  return after(jump_of(steps), seed);
}

/// How a lookup's second number chooses its material: the first m with roll < the sum of the shares 1 to m,
/// and 0 if there is none. (The share of material 0, fuel, is what is left.)
KILN_HOST_DEVICE constexpr double share_up_to(int material) {
  const double shares[kMaterials] = {0.140, 0.052, 0.275, 0.134, 0.154, 0.064,
                                     0.066, 0.055, 0.008, 0.015, 0.025, 0.013};
  double sum = 0;
  for (int m = material; m > 0; --m) sum += shares[m];
  return sum;
}

template <int Material>
struct ShareUpTo {
  static constexpr double kValue = share_up_to(Material);
};

template <int Material>
KILN_HOST_DEVICE int materials_passed(double roll) {
  if constexpr (Material == 0) {
    return 0;
  } else {
    return materials_passed<Material - 1>(roll) + (roll >= ShareUpTo<Material>::kValue ? 1 : 0);
  }
}

KILN_HOST_DEVICE int material_of(double roll) {
  const int passed = materials_passed<kMaterials - 1>(roll);
  return passed == kMaterials - 1 ? 0 : passed + 1;
}

constexpr Word kLookupSeed = 1070;

/// The state before the two numbers of a lookup.
KILN_HOST_DEVICE Word state_of_lookup(long long lookup) {
  return skip(kLookupSeed, 2 * Word(lookup));
}

/// The most nuclides of a material: fuel's.
KILN_HOST_DEVICE int fuel_nuclides(int isotopes) {
  return isotopes - 34;
}

/// 1 + the first channel with the largest of the macroscopic cross sections.
template <class Sums>
KILN_HOST_DEVICE int verification_value(const Sums& macro) {
  double largest = -1;
  int channel = 0;
  for (int c = 0; c < kChannels; ++c) {
    if (macro[c] > largest) {
      largest = macro[c];
      channel = c;
    }
  }
  return channel + 1;
}
