#include "kiln/params.h"

#include "lookup.h"
#include "sampling.h"

// The references know no index, no skipping of numbers but one for each work-item, and no sorted list: each
// of `reference_items` work-items draws its share of the lookups one after the other, and searches each
// nuclide's grid.

__device__ inline int draw_material(double roll) {
  const double shares[kMaterials] = {0, .052, .275, .134, .154, .064, .066, .055, .008, .015, .025, .013};
  int material = 0;
  for (int m = kMaterials - 1; m > 0; --m) {
    double sum = 0;
    for (int j = m; j > 0; --j) sum += shares[j];
    if (roll < sum) material = m;
  }
  return material;
}

__device__ inline void add_material(double (&macro)[kChannels], int material, double energy,
                                    const double* __restrict__ grid, const int* __restrict__ nuclides,
                                    const double* __restrict__ amounts,
                                    const int* __restrict__ nuclide_counts, const Params& p) {
  const int width = p.n_isotopes - 34;
  for (int n = 0; n < nuclide_counts[material]; ++n) {
    const double* points = grid + (long long)nuclides[material * width + n] * p.n_gridpoints * kPointSize;
    int low = 0;
    for (int high = p.n_gridpoints - 1; high - low > 1;) {
      const int middle = (low + high) / 2;
      if (points[(long long)middle * kPointSize] <= energy) {
        low = middle;
      } else {
        high = middle;
      }
    }
    points += (long long)low * kPointSize;
    const double fraction = (energy - points[0]) / (points[kPointSize] - points[0]);
    for (int c = 1; c <= kChannels; ++c)
      macro[c - 1] +=
          amounts[material * width + n] * (points[c] + fraction * (points[kPointSize + c] - points[c]));
  }
}

// The first of the largest; the first of all if none is above -1, which energies beyond a coarse grid can
// bring about.
__device__ inline int best_channel(const double (&macro)[kChannels]) {
  int best = 0;
  for (int c = 1; c < kChannels; ++c) best = macro[c] > macro[best] ? c : best;
  return macro[best] > -1 ? best : 0;
}

/// Calls visit(lookup, material, macro) for each lookup of the work-item.
template <class Visit>
__device__ inline void for_each_lookup(const double* __restrict__ grid, const int* __restrict__ nuclides,
                                       const double* __restrict__ amounts,
                                       const int* __restrict__ nuclide_counts, const Params& p, Visit visit) {
  const long long item = kiln::global_index_x();
  if (item >= p.reference_items) return;
  const long long share = (p.lookups + p.reference_items - 1) / p.reference_items;
  Word state = state_of_lookup(item * share);
  for (long long lookup = item * share; lookup < (item + 1) * share && lookup < p.lookups; ++lookup) {
    state = (kFactor * state + 1) & kMask;
    const double energy = double((long long)state) / 9223372036854775808.0;
    state = (kFactor * state + 1) & kMask;
    const int material = draw_material(double((long long)state) / 9223372036854775808.0);
    double macro[kChannels] = {};
    add_material(macro, material, energy, grid, nuclides, amounts, nuclide_counts, p);
    visit(lookup, material, macro);
  }
}

extern "C" __global__ void values_of_reference(Word* __restrict__ values_reference,
                                               const double* __restrict__ grid,
                                               const int* __restrict__ nuclides,
                                               const double* __restrict__ amounts,
                                               const int* __restrict__ nuclide_counts, const Params p) {
  for_each_lookup(grid, nuclides, amounts, nuclide_counts, p,
                  [&](long long lookup, int, const double(&macro)[kChannels]) {
                    values_reference[lookup] = Word(best_channel(macro) + 1);
                  });
}

// What the checks compare, as doubles: five sums, the sum of the values, the lookups of each material, and
// the hash.
constexpr int kValueSum = kChannels;
constexpr int kCounts = kChannels + 1;
constexpr int kHashAt = kCounts + kMaterials;

// `results_reference` is 0 before.
extern "C" __global__ void results_of_reference(double* __restrict__ results_reference,
                                                const double* __restrict__ grid,
                                                const int* __restrict__ nuclides,
                                                const double* __restrict__ amounts,
                                                const int* __restrict__ nuclide_counts, const Params p) {
  double sums[kChannels] = {};
  int counts[kMaterials] = {};
  long long value_sum = 0;
  for_each_lookup(grid, nuclides, amounts, nuclide_counts, p,
                  [&](long long, int material, const double(&macro)[kChannels]) {
                    for (int c = 0; c < kChannels; ++c) sums[c] += macro[c];
                    value_sum += best_channel(macro) + 1;
                    for (int m = 0; m < kMaterials; ++m) counts[m] += m == material ? 1 : 0;
                  });
  for (int c = 0; c < kChannels; ++c) atomicAdd(&results_reference[c], sums[c]);
  atomicAdd(&results_reference[kValueSum], double(value_sum));
  for (int m = 0; m < kMaterials; ++m) {
    if (counts[m] > 0) atomicAdd(&results_reference[kCounts + m], double(counts[m]));
  }
}

// `counts` are 0 before.
extern "C" __global__ void count_materials(Word* __restrict__ material_counts, const Params p) {
  const long long item = kiln::global_index_x();
  Word counts[kMaterials] = {};
  for (long long lookup = item; lookup < p.lookups; lookup += kiln::global_size_x()) {
    const int material = material_of(value_of(after(jump_of(2), state_of_lookup(lookup))));
    for (int m = 0; m < kMaterials; ++m) counts[m] += m == material ? 1 : 0;
  }
  for (int m = 0; m < kMaterials; ++m) {
    if (counts[m] > 0) atomicAdd(&material_counts[m], counts[m]);
  }
}

// The same of the sorted list, where the lookups of a material stand together.
extern "C" __global__ void count_sorted(Word* __restrict__ material_counts, const Word* __restrict__ samples,
                                        const Params p) {
  const long long at = kiln::global_index_x();
  if (at >= p.lookups) return;
  const int material = packed_material(samples[at]);
  if (at + 1 < p.lookups && packed_material(samples[at + 1]) == material) return;
  long long first = 0;
  for (long long behind = at; behind > first;) {
    const long long middle = (first + behind) / 2;
    if (packed_material(samples[middle]) < material) {
      first = middle + 1;
    } else {
      behind = middle;
    }
  }
  if (material < kMaterials) atomicAdd(&material_counts[material], Word(at + 1 - first));
}

// The hash is the sum of all values modulo a prime.
extern "C" __global__ void collect(double* __restrict__ results, const double* __restrict__ sums,
                                   const Word* __restrict__ value_sum,
                                   const Word* __restrict__ material_counts) {
  for (int c = 0; c < kChannels; ++c) results[c] = sums[c];
  results[kValueSum] = double(*value_sum);
  results[kHashAt] = double(*value_sum % 999983);
  for (int m = 0; m < kMaterials; ++m) results[kCounts + m] = double(material_counts[m]);
}

extern "C" __global__ void make_published(double* __restrict__ published, const Params p) {
  const double small[kCounts] = {62622747.9655, 62708064.7254, 62570577.7054,
                                 62547903.1035, 62635052.9753, 50945140};
  const double large[kCounts] = {229107610.170, 229402687.588, 229196657.774,
                                 229147030.093, 229216079.431, 50951281};
  const double counts[kMaterials] = {2362108, 885804, 4673515, 2277827, 2617599, 1088891,
                                     1121738, 934809, 135442,  255152,  425658,  221457};
  for (int i = 0; i < kCounts; ++i) published[i] = p.n_isotopes == 68 ? small[i] : large[i];
  for (int m = 0; m < kMaterials; ++m) published[kCounts + m] = counts[m];
  published[kHashAt] = p.n_isotopes == 68 ? 945990 : 952131;
}
