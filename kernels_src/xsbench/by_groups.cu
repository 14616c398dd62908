#include "kiln/params.h"

#include "groups.h"
#include "lookup.h"
#include "sampling.h"

// Lookups in the order in which they are drawn: memory decides, so each access should bring whole grid
// points. A group of `lanes` work-items (a warp; one on a CPU) samples a lookup for each lane, and then takes
// them one after the other: first each lane finds the point of another nuclide; then `kTeam` lanes read the
// two points of a nuclide together, each another channel, and add it to a sum of their own. So no sum crosses
// lanes before the end of a lookup.

constexpr int kTeam = kLanes < 8 ? kLanes : 8;
constexpr int kTeams = kLanes / kTeam;

struct Sample {
  double energy;
  int material;
};

struct GroupMemory {
  Sample samples[kLanes];
  Begin begins[kLanes];
  double macro[kChannels][kLanes];
};

__device__ inline Sample sample_from(Word state) {
  return Sample{value_of(state), material_of(value_of(after(Jump{kFactor, 1}, state)))};
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_lookup_sampled
lookup_sampled(double* __restrict__ sums, Word* __restrict__ value_sum, const double* __restrict__ grid,
               const int* __restrict__ index, const double* __restrict__ union_energies,
               const int* __restrict__ nuclides, const double* __restrict__ amounts,
               const int* __restrict__ nuclide_counts, const Params p) {
  __shared__ GroupMemory memory[kGroups];
  const int lane = int(threadIdx.x) % kLanes;
  GroupMemory& group = memory[int(threadIdx.x) / kLanes];
  const int channel = lane % kTeam < kChannels ? lane % kTeam : kChannels - 1;
  const int team = lane / kTeam;
  const int width = fuel_nuclides(p.n_isotopes);
  const long long begin =
      ((long long)blockIdx.x * kGroups + int(threadIdx.x) / kLanes) * (kLanes * Params::rounds);
  Word state = skip(kLookupSeed, 2 * Word(begin + lane) + 1);
  double total[kChannels] = {};
  unsigned values = 0;

  for (int round = 0; round < Params::rounds; ++round) {
    const long long first = begin + (long long)round * kLanes;
    if (first >= p.lookups) break;
    group.samples[lane] = sample_from(state);
    state = after(jump_of(2 * kLanes), state);
    const int taken = p.lookups - first < kLanes ? int(p.lookups - first) : kLanes;
    for (int at = 0; at < taken; ++at) {
      sync_group();
      const Sample sample = group.samples[at];
      const long long row = index_row(union_energies, sample.energy, p);
      const int count = nuclide_counts[sample.material];
      const int* list = nuclides + sample.material * width;
      const double* list_amounts = amounts + sample.material * width;
      if constexpr (kLanes == 1) {
        double macro[kChannels] = {};
        for (int n = 0; n < count; ++n) {
          const double* points = grid + (long long)list[n] * p.n_gridpoints * kPointSize;
          const double* low =
              points + (long long)find_point(points, index, row, list[n], sample.energy, p) * kPointSize;
          const double* high = low + kPointSize;
          const double low_weight = (high[0] - sample.energy) * list_amounts[n] / (high[0] - low[0]);
          const double high_weight = list_amounts[n] - low_weight;
          for (int c = 0; c < kChannels; ++c) macro[c] += low_weight * low[1 + c] + high_weight * high[1 + c];
        }
        for (int c = 0; c < kChannels; ++c) group.macro[c][0] = macro[c];
      } else {
        double macro = 0;
        for (int chunk = 0; chunk < count; chunk += kLanes) {
          const int here = count - chunk < kLanes ? count - chunk : kLanes;
          sync_group();
          if (lane < here) {
            const int nuclide = list[chunk + lane];
            const double* points = grid + (long long)nuclide * p.n_gridpoints * kPointSize;
            const int point = find_point(points, index, row, nuclide, sample.energy, p);
            group.begins[lane] = Begin{list_amounts[chunk + lane], nuclide * p.n_gridpoints + point, 0};
          }
          sync_group();
          KILN_UNROLL(4)
          for (int n = team; n < here; n += kTeams) {
            const Begin begin_at = group.begins[n];
            const double* low = grid + (long long)begin_at.point * kPointSize;
            const double* high = low + kPointSize;
            const double low_weight =
                (high[0] - sample.energy) * (begin_at.amount * fast_reciprocal(high[0] - low[0]));
            macro = fma(low_weight, low[1 + channel],
                        fma(begin_at.amount - low_weight, high[1 + channel], macro));
          }
        }
        for (int mask = kTeam; mask < kLanes; mask *= 2) macro += kiln::shuffle_xor(macro, mask);
        if (lane < kChannels) group.macro[lane][at] = macro;
      }
    }
    sync_group();
    if (lane < taken) {
      double of_one[kChannels];
      for (int c = 0; c < kChannels; ++c) {
        of_one[c] = group.macro[c][lane];
        total[c] += of_one[c];
      }
      values += unsigned(verification_value(of_one));
    }
    sync_group();
  }
  add_totals(sums, value_sum, total, values, lane);
}
