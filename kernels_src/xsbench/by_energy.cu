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

/// What turns a distance from a point into the weight of the other one.
__device__ inline double weight_scale(const Point& low, const Point& high, double amount) {
  return amount * fast_reciprocal(high.energy - low.energy);
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_lookup_sorted
lookup_sorted(double* __restrict__ sums, Word* __restrict__ value_sum, const Word* __restrict__ lookups,
              const double* __restrict__ grid, const int* __restrict__ index,
              const double* __restrict__ union_energies, const int* __restrict__ nuclides,
              const double* __restrict__ amounts, const int* __restrict__ nuclide_counts, const Params p) {
  __shared__ Begin begins[kGroups][kLanes];
  const int lane = int(threadIdx.x) % kLanes;
  const int group = int(threadIdx.x) / kLanes;
  const int width = fuel_nuclides(p.n_isotopes);
  double total[kChannels] = {};
  unsigned values = 0;

  for (int round = 0; round < Params::rounds; ++round) {
    const long long tile = ((long long)blockIdx.x * kGroups + group) * Params::rounds + round;
    const long long first = (tile * kLanes + lane) * kBatch;
    if (tile * kLanes * kBatch >= p.lookups) break;
    Word mine[kBatch];
    if (first + kBatch <= p.lookups) {
      constexpr int pack = kBatch % 2 == 0 ? 2 : 1;
      KILN_UNROLL_ALL
      for (int v = 0; v < kBatch; v += pack) {
        const auto words = kiln::load_pack<pack>(lookups + first + v);
        for (int w = 0; w < pack; ++w) mine[v + w] = words.at[w];
      }
    } else {
      KILN_UNROLL_ALL
      for (int v = 0; v < kBatch; ++v) mine[v] = first + v < p.lookups ? lookups[first + v] : ~Word(0);
    }
    KILN_UNROLL_ALL
    for (int r = 0; r < kBatch; ++r) {
      KILN_UNROLL_ALL
      for (int v = r % 2; v + 1 < kBatch; v += 2) order(mine[v], mine[v + 1]);
    }

    // Materials are few in a tile, one in almost all of them.
    int material = group_min(packed_material(mine[0]));
    while (material < kMaterials) {
      // Where a lane has lookups of another material, the energy of a neighbour stands in.
      double energy[kBatch];
      double stand_in = 2;
      KILN_UNROLL_ALL
      for (int v = kBatch - 1; v >= 0; --v)
        if (packed_material(mine[v]) == material) stand_in = packed_energy(mine[v]);
      const double lowest = group_min(stand_in);
      if (stand_in > 1) stand_in = lowest;
      KILN_UNROLL_ALL
      for (int v = 0; v < kBatch; ++v) {
        if (packed_material(mine[v]) == material) stand_in = packed_energy(mine[v]);
        energy[v] = stand_in;
      }

      double macro[kChannels][kBatch] = {};
      const long long row = index_row(union_energies, lowest, p);
      const int count = nuclide_counts[material];
      for (int chunk = 0; chunk < count; chunk += kLanes) {
        const int here = count - chunk < kLanes ? count - chunk : kLanes;
        sync_group();
        if (lane < here) {
          const int nuclide = nuclides[material * width + chunk + lane];
          const double* points = grid + (long long)nuclide * p.n_gridpoints * kPointSize;
          const int point = find_point(points, index, row, nuclide, lowest, p);
          begins[group][lane] = Begin{amounts[material * width + chunk + lane],
                                      nuclide * p.n_gridpoints + point, p.n_gridpoints - 2 - point};
        }
        sync_group();
        for (int n = 0; n < here; ++n) {
          const Begin begin = begins[group][n];
          const double* at = grid + (long long)begin.point * kPointSize;
          int left = begin.left;
          Point low = load_point(at), high = load_point(at + kPointSize);
          const auto walk = [&](double to) {
            while (to >= high.energy && left > 0) {
              low = high;
              at += kPointSize;
              --left;
              high = load_point(at + kPointSize);
            }
          };
          if (kLanes == 1) {
            walk(energy[0]);
            if (energy[kBatch - 1] < high.energy || left == 0) {
              const double scale = weight_scale(low, high, begin.amount);
              KILN_SIMD
              for (int v = 0; v < kBatch; ++v) {
                const double low_weight = (high.energy - energy[v]) * scale;
                const double high_weight = begin.amount - low_weight;
                for (int c = 0; c < kChannels; ++c)
                  macro[c][v] += low_weight * low.channel[c] + high_weight * high.channel[c];
              }
              continue;
            }
          }
          double scale = weight_scale(low, high, begin.amount);
          KILN_UNROLL_ALL
          for (int v = 0; v < kBatch; ++v) {
            if (energy[v] >= high.energy && left > 0) {
              walk(energy[v]);
              scale = weight_scale(low, high, begin.amount);
            }
            const double low_weight = (high.energy - energy[v]) * scale;
            const double high_weight = begin.amount - low_weight;
            KILN_UNROLL_ALL
            for (int c = 0; c < kChannels; ++c)
              macro[c][v] = fma(low_weight, low.channel[c], fma(high_weight, high.channel[c], macro[c][v]));
          }
        }
      }

      int next = kMaterials;
      KILN_UNROLL_ALL
      for (int v = 0; v < kBatch; ++v) {
        const int other = packed_material(mine[v]);
        if (other > material && other < next) next = other;
        if (other != material) continue;
        double of_one[kChannels];
        KILN_UNROLL_ALL
        for (int c = 0; c < kChannels; ++c) {
          of_one[c] = macro[c][v];
          total[c] += macro[c][v];
        }
        values += unsigned(verification_value(of_one));
      }
      material = group_min(next);
    }
  }

  add_totals(sums, value_sum, total, values, lane);
}
