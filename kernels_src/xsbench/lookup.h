#pragma once

#include "sampling.h"

// Cross sections of one energy in one nuclide: linear between two neighbouring grid points, 96 bytes.

struct __align__(16) Point {
  double energy;
  double channel[kChannels];
};

__device__ inline Point load_point(const double* __restrict__ from) {
  static_assert(kPointSize == 6, "three packs of two");
  const auto a = kiln::load_pack<2>(from), b = kiln::load_pack<2>(from + 2), c = kiln::load_pack<2>(from + 4);
  return Point{a.at[0], {a.at[1], b.at[0], b.at[1], c.at[0], c.at[1]}};
}

/// The last of `low` to `high - 1` points at or below the energy; `low` if there is none.
__device__ inline int search_points(const double* __restrict__ points, int low, int high, double energy) {
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (points[(long long)middle * kPointSize] > energy) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return low;
}

/// The same in the list of all energies.
__device__ inline long long search_union(const double* __restrict__ energies, long long count,
                                         double energy) {
  long long low = 0, high = count - 1;
  while (high - low > 1) {
    const long long middle = low + (high - low) / 2;
    if (energies[middle] > energy) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return low;
}

// Params::grid_type
constexpr int kHash = 0;
constexpr int kUnionized = 1;

/// The row of the index for an energy: of its bin, or of its place among all energies.
__device__ inline long long index_row(const double* __restrict__ union_energies, double energy,
                                      const Params& p) {
  if (Params::grid_type == kHash) {
    const int bin = int(energy * p.hash_bins);
    return bin < p.hash_bins ? bin : p.hash_bins - 1;
  }
  if (Params::grid_type == kUnionized)
    return search_union(union_energies, (long long)p.n_isotopes * p.n_gridpoints, energy);
  return 0;
}

/// The point of `nuclide` at or below an energy, with the index's row for that energy; 0 below all of them,
/// and at most n_gridpoints - 2. `points` are the nuclide's.
__device__ inline int find_point(const double* __restrict__ points, const int* __restrict__ index,
                                 long long row, int nuclide, double energy, const Params& p) {
  const int last = p.n_gridpoints - 1;
  if (Params::grid_type == kHash) {
    const int* at = index + row * p.n_isotopes + nuclide;
    return search_points(points, at[0], row == p.hash_bins - 1 ? last : min(at[p.n_isotopes] + 1, last),
                         energy);
  }
  if (Params::grid_type == kUnionized) return index[row * p.n_isotopes + nuclide];
  return search_points(points, 0, last, energy);
}

/// A lookup's material and energy in 64 bits, which order by material, then by energy. Energies are 0 or from
/// 2^-63 up to 1: of a double's upper 6 bits they share the value, and 0 becomes 2^-63.
constexpr int kMaterialShift = 58;
constexpr Word kSharedBits = Word(0x0f) << kMaterialShift;  // sign 0, exponent 01111......

__device__ inline Word pack_lookup(int material, double energy) {
  const Word bits = Word(__double_as_longlong(energy));
  return (Word(material) << kMaterialShift) | (bits & ((Word(1) << kMaterialShift) - 1));
}
__device__ inline int packed_material(Word lookup) {
  return int(lookup >> kMaterialShift);
}
__device__ inline double packed_energy(Word lookup) {
  return __longlong_as_double((long long)((lookup & ((Word(1) << kMaterialShift) - 1)) | kSharedBits));
}
