#include "kiln/params.h"

#include "groups.h"
#include "lookup.h"
#include "sampling.h"

// Lookups that are sorted by material and energy. A group of `lanes` work-items (a warp; one on a CPU) takes
// `lanes * batch` neighbours, `batch` in each lane, through the nuclides of their material. They lie within
// few points of every nuclide's grid, mostly between the same two: so the group searches once for each
// nuclide, each lane another nuclide's grid for the group's lowest energy, and a lane reads two points for
// `batch` lookups and walks on where an energy lies beyond them. Nothing depends on how well the lookups are
// sorted but the time.

constexpr int kBatch = Params::batch;

__device__ inline void order(Word& a, Word& b) {
  const Word low = a < b ? a : b;
  b = a < b ? b : a;
  a = low;
}

/// Sorts the batch of a lane: by a network, whose elements stay in registers; a CPU's, which is long, by
/// insertion.
__device__ inline void sort_batch(Word (&mine)[kBatch]) {
  if (kLanes == 1) {
    for (int v = 1; v < kBatch; ++v) {
      const Word moved = mine[v];
      int at = v;
      for (; at > 0 && mine[at - 1] > moved; --at) mine[at] = mine[at - 1];
      mine[at] = moved;
    }
    return;
  }
  KILN_UNROLL_ALL
  for (int r = 0; r < kBatch; ++r) {
    KILN_UNROLL_ALL
    for (int v = r % 2; v + 1 < kBatch; v += 2) order(mine[v], mine[v + 1]);
  }
}

/// Sorts a batch that rises and then falls, or falls and then rises.
__device__ inline void merge_batch(Word (&mine)[kBatch]) {
  if ((kBatch & (kBatch - 1)) != 0) return sort_batch(mine);
  KILN_UNROLL_ALL
  for (int distance = kBatch / 2; distance > 0; distance /= 2) {
    KILN_UNROLL_ALL
    for (int v = 0; v < kBatch; ++v)
      if ((v & distance) == 0) order(mine[v], mine[v | distance]);
  }
}

/// Sorts the batches of a group, each sorted already, as a bitonic network of lanes: two lanes exchange their
/// batches, and one keeps the lower half of both, the other one the upper half.
__device__ inline void sort_group(Word (&mine)[kBatch], int lane) {
  for (int size = 2; size <= kLanes; size *= 2) {
    for (int mask = size / 2; mask > 0; mask /= 2) {
      const bool keeps_low = ((lane & mask) == 0) == ((lane & size) == 0);
      Word theirs[kBatch];
      KILN_UNROLL_ALL
      for (int v = 0; v < kBatch; ++v) theirs[v] = kiln::shuffle_xor(mine[v], mask);
      KILN_UNROLL_ALL
      for (int v = 0; v < kBatch; ++v) {
        const Word other = theirs[kBatch - 1 - v];
        mine[v] = (other < mine[v]) == keeps_low ? other : mine[v];
      }
      merge_batch(mine);
    }
  }
}

/// Whether one energy is not below the other one. Positive doubles order as their bits, and a GPU compares
/// these beside its floating-point work.
__device__ inline bool reaches(double energy, double other) {
  return __double_as_longlong(energy) >= __double_as_longlong(other);
}

/// Adds a nuclide to the sums of a lane's lookups.
__device__ inline void add_nuclide(double (&macro)[kChannels][kBatch], const double (&energy)[kBatch],
                                   const Begin& begin, const double* __restrict__ grid) {
  const double* at = grid + (long long)begin.point * kPointSize;
  int left = begin.left;
  Point low = load_point(at), high = load_point(at + kPointSize);
  double scale = begin.amount * fast_reciprocal(high.energy - low.energy);
  KILN_UNROLL_ALL
  for (int v = 0; v < kBatch; ++v) {
    if (reaches(energy[v], high.energy)) {
      for (; reaches(energy[v], high.energy) && left > 0; --left) {
        low = high;
        at += kPointSize;
        high = load_point(at + kPointSize);
      }
      scale = begin.amount * fast_reciprocal(high.energy - low.energy);
    }
    const double low_weight = (high.energy - energy[v]) * scale;
    const double high_weight = begin.amount - low_weight;
    KILN_UNROLL_ALL
    for (int c = 0; c < kChannels; ++c)
      macro[c][v] = fma(low_weight, low.channel[c], fma(high_weight, high.channel[c], macro[c][v]));
  }
}

/// The same for a CPU: points stay in memory, and lookups within one interval, as most are, become lanes of
/// vectors.
__device__ inline void add_nuclide_by_vectors(double (&macro)[kChannels][kBatch],
                                              const double (&energy)[kBatch], const Begin& begin,
                                              const double* __restrict__ grid) {
  const double* low = grid + (long long)begin.point * kPointSize;
  const double* const last = low + (long long)begin.left * kPointSize;
  if (energy[kBatch - 1] < low[kPointSize] || low == last) {
    const double* high = low + kPointSize;
    const double scale = begin.amount / (high[0] - low[0]);
    KILN_SIMD
    for (int v = 0; v < kBatch; ++v) {
      const double low_weight = (high[0] - energy[v]) * scale;
      const double high_weight = begin.amount - low_weight;
      for (int c = 0; c < kChannels; ++c) macro[c][v] += low_weight * low[1 + c] + high_weight * high[1 + c];
    }
    return;
  }
  for (int v = 0; v < kBatch; ++v) {
    while (energy[v] >= low[kPointSize] && low < last) low += kPointSize;
    const double* high = low + kPointSize;
    const double low_weight = (high[0] - energy[v]) * (begin.amount / (high[0] - low[0]));
    const double high_weight = begin.amount - low_weight;
    for (int c = 0; c < kChannels; ++c) macro[c][v] += low_weight * low[1 + c] + high_weight * high[1 + c];
  }
}

/// The lookups of a lane, in ascending order; behind the last one, numbers that are larger than any.
__device__ inline void load_batch(Word (&mine)[kBatch], const Word* __restrict__ lookups, long long first,
                                  long long count) {
  if (first + kBatch <= count) {
    constexpr int pack = kBatch % 2 == 0 ? 2 : 1;
    KILN_UNROLL_ALL
    for (int v = 0; v < kBatch; v += pack) {
      const auto words = kiln::load_pack<pack>(lookups + first + v);
      for (int w = 0; w < pack; ++w) mine[v + w] = words.at[w];
    }
  } else {
    KILN_UNROLL_ALL
    for (int v = 0; v < kBatch; ++v) mine[v] = first + v < count ? lookups[first + v] : ~Word(0);
  }
  sort_batch(mine);
}

/// The lowest material of the group's lookups above `above`; kMaterials or more if there is none.
__device__ inline int material_above(int above, const Word (&mine)[kBatch]) {
  int lowest = kMaterials;
  KILN_UNROLL_ALL
  for (int v = kBatch - 1; v >= 0; --v) {
    const int material = packed_material(mine[v]);
    if (material > above) lowest = material;
  }
  return group_min(lowest);
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_lookup_sorted
lookup_sorted(double* __restrict__ sums, Word* __restrict__ value_sum, const Word* __restrict__ lookups,
              const double* __restrict__ grid, const int* __restrict__ index,
              const double* __restrict__ union_energies, const int* __restrict__ nuclides,
              const double* __restrict__ amounts, const int* __restrict__ nuclide_counts, const Params p) {
  const int lane = int(threadIdx.x) % kLanes;
  const int group = int(threadIdx.x) / kLanes;
  const int width = fuel_nuclides(p.n_isotopes);
  double total[kChannels] = {};
  unsigned values = 0;

  const long long first_tile = ((long long)blockIdx.x * kGroups + group) * Params::rounds;
  for (long long tile = first_tile; tile < first_tile + Params::rounds; ++tile) {
    const long long first = (tile * kLanes + lane) * kBatch;
    if (tile * kLanes * kBatch >= p.lookups) break;

    // Materials are few in a tile, one in almost all of them.
    for (int next = -1; next < kMaterials;) {
      Word mine[kBatch];
      load_batch(mine, lookups, first, p.lookups);
      const int material = next < 0 ? material_above(-1, mine) : next;
      const int count = nuclide_counts[material];
      if (Params::resort > 0 && count >= Params::resort) sort_group(mine, lane);
      next = material_above(material, mine);

      // Where a lane has lookups of another material, the energy of a neighbour stands in.
      double energy[kBatch];
      unsigned taken = 0;  // a bit for each lookup of this material
      double stand_in = 2;
      KILN_UNROLL_ALL
      for (int v = kBatch - 1; v >= 0; --v)
        if (packed_material(mine[v]) == material) stand_in = packed_energy(mine[v]);
      const double lowest = group_min(stand_in);
      if (stand_in > 1) stand_in = lowest;
      KILN_UNROLL_ALL
      for (int v = 0; v < kBatch; ++v) {
        if (packed_material(mine[v]) == material) {
          stand_in = packed_energy(mine[v]);
          taken |= 1u << v;
        }
        energy[v] = stand_in;
      }

      double macro[kChannels][kBatch] = {};
      const long long row = index_row(union_energies, lowest, p);
      const int* list = nuclides + material * width;
      const auto begin_of = [&](int n) {
        const double* points = grid + (long long)list[n] * p.n_gridpoints * kPointSize;
        const int point = find_point(points, index, row, list[n], lowest, p);
        return Begin{amounts[material * width + n], list[n] * p.n_gridpoints + point,
                     p.n_gridpoints - 2 - point};
      };
      if constexpr (kLanes == 1) {
        for (int n = 0; n < count; ++n) add_nuclide_by_vectors(macro, energy, begin_of(n), grid);
      } else {
        __shared__ Begin begins[kGroups][kLanes];
        for (int chunk = 0; chunk < count; chunk += kLanes) {
          const int here = count - chunk < kLanes ? count - chunk : kLanes;
          sync_group();
          if (lane < here) begins[group][lane] = begin_of(chunk + lane);
          sync_group();
          for (int n = 0; n < here; ++n) add_nuclide(macro, energy, begins[group][n], grid);
        }
      }

      KILN_UNROLL_ALL
      for (int v = 0; v < kBatch; ++v) {
        if ((taken >> v & 1) == 0) continue;
        double of_one[kChannels];
        KILN_UNROLL_ALL
        for (int c = 0; c < kChannels; ++c) {
          of_one[c] = macro[c][v];
          total[c] += macro[c][v];
        }
        values += unsigned(verification_value(of_one));
      }
      if (kLanes > 1) {  // so that no register holds the sums meanwhile
        add_totals(sums, value_sum, total, values, lane);
        for (int c = 0; c < kChannels; ++c) total[c] = 0;
        values = 0;
      }
    }
  }
  if (kLanes == 1) add_totals(sums, value_sum, total, values, lane);
}
