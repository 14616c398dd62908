#include "kiln/params.h"

#include "groups.h"
#include "lookup.h"
#include "sampling.h"

// Lookups in the order in which they are drawn: memory decides, so an access should bring a whole interval of
// a grid, and many should be on their way. A group of `lanes` work-items (a warp; one on a CPU) samples a
// lookup for each lane, and then takes them one after the other, `lanes` nuclides at a time: each lane finds
// the point of another nuclide; then teams of eight lanes read the 96 bytes of a nuclide's interval by one
// access, 16 bytes a lane. A lane multiplies its two numbers with the weight of its point, so that nothing
// crosses lanes but the two energies before the end of the lookup. While a chunk's points are on their way,
// the group finds those of the next chunk.

constexpr int kTeam = 8;
constexpr int kTeams = kLanes / kTeam < 1 ? 1 : kLanes / kTeam;
constexpr int kSteps = kLanes / kTeams;  // nuclides of a team in a chunk

constexpr bool kWalk = Params::grid_type == kHash && Params::locate == 1;

struct Sample {
  double energy;
  int material;
};

struct __align__(16) Interval {
  double low, high;
};

struct GroupMemory {
  Begin begins[2][kLanes];
  Interval intervals[kLanes];
  Sample samples[kLanes];
  double macro[kChannels][kLanes];
};

__device__ inline Sample sample_from(Word state) {
  return Sample{value_of(state), material_of(value_of(after(Jump{kFactor, 1}, state)))};
}

/// Where the group is: nuclides from `chunk` on of the lookup `at` of this round.
struct Place {
  int at, chunk, count;
  double energy;
  int material;
  long long row;
};

struct Tables {
  const double* __restrict__ grid;
  const int* __restrict__ index;
  const double* __restrict__ union_energies;
  const int* __restrict__ nuclides;
  const double* __restrict__ amounts;
  const int* __restrict__ nuclide_counts;
};

__device__ inline void begin_lookup(Place& place, int at, const GroupMemory& group, const Tables& tables,
                                    const Params& p) {
  const Sample sample = group.samples[at];
  place.at = at;
  place.chunk = 0;
  place.energy = sample.energy;
  place.material = sample.material;
  place.count = tables.nuclide_counts[sample.material];
  place.row = index_row(tables.union_energies, sample.energy, p);
}

/// The begin of the lane's nuclide of the chunk: its point, or where the walk to it begins; a nuclide that is
/// not there has no amount.
__device__ inline Begin find_begin(const Place& place, int lane, const Tables& tables, const Params& p) {
  if (place.chunk + lane >= place.count) return Begin{0, 0, 0};
  const int at = place.material * fuel_nuclides(p.n_isotopes) + place.chunk + lane;
  const int nuclide = tables.nuclides[at];
  const double* points = tables.grid + (long long)nuclide * p.n_gridpoints * kPointSize;
  const int point = kWalk ? tables.index[place.row * p.n_isotopes + nuclide]
                          : find_point(points, tables.index, place.row, nuclide, place.energy, p);
  return Begin{tables.amounts[at], nuclide * p.n_gridpoints + point, p.n_gridpoints - 2 - point};
}

/// One lookup by one work-item.
__device__ inline void look_up_alone(double (&macro)[kChannels], const Place& place, const Tables& tables,
                                     const Params& p) {
  for (int c = 0; c < kChannels; ++c) macro[c] = 0;
  const int* nuclides = tables.nuclides + place.material * fuel_nuclides(p.n_isotopes);
  const double* amounts = tables.amounts + place.material * fuel_nuclides(p.n_isotopes);
  for (int n = 0; n < place.count; ++n) {
    const double* points = tables.grid + (long long)nuclides[n] * p.n_gridpoints * kPointSize;
    const double* low =
        points +
        (long long)find_point(points, tables.index, place.row, nuclides[n], place.energy, p) * kPointSize;
    const double* high = low + kPointSize;
    const double low_weight = (high[0] - place.energy) * amounts[n] / (high[0] - low[0]);
    const double high_weight = amounts[n] - low_weight;
    for (int c = 0; c < kChannels; ++c) macro[c] += low_weight * low[1 + c] + high_weight * high[1 + c];
  }
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_lookup_sampled
lookup_sampled(double* __restrict__ sums, Word* __restrict__ value_sum, const double* __restrict__ grid,
               const int* __restrict__ index, const double* __restrict__ union_energies,
               const int* __restrict__ nuclides, const double* __restrict__ amounts,
               const int* __restrict__ nuclide_counts, const Params p) {
  __shared__ GroupMemory memory[kGroups];
  const Tables tables{grid, index, union_energies, nuclides, amounts, nuclide_counts};
  const int lane = int(threadIdx.x) % kLanes;
  GroupMemory& group = memory[int(threadIdx.x) / kLanes];
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
    sync_group();
    Place place;
    begin_lookup(place, 0, group, tables, p);
    if constexpr (kLanes == 1) {
      double macro[kChannels];
      look_up_alone(macro, place, tables, p);
      for (int c = 0; c < kChannels; ++c) group.macro[c][0] = macro[c];
    } else {
      // Lanes 0 to 2 of a team have the lower point, 4 to 6 the upper one.
      const int team = lane / kTeam;
      const int part = lane % 4;
      const bool is_high = lane % kTeam >= 4;
      const int offset = (is_high ? kPointSize : 0) + 2 * part;
      double sum_0 = 0, sum_1 = 0;
      int side = 0;
      group.begins[0][lane] = find_begin(place, lane, tables, p);
      for (;;) {
        sync_group();
        const int here = place.count - place.chunk < kLanes ? place.count - place.chunk : kLanes;
        kiln::Pack<double, 2> loaded[kSteps];
        KILN_UNROLL_ALL
        for (int step = 0; step < kSteps; ++step) {
          const int n = step * kTeams + team;
          loaded[step].at[0] = loaded[step].at[1] = 0;
          if (n < here && part < 3)
            loaded[step] =
                kiln::load_pack<2>(grid + (long long)group.begins[side][n].point * kPointSize + offset);
        }
        const int at = place.at;
        const double energy = place.energy;
        place.chunk += kLanes;
        const bool is_last = place.chunk >= place.count;
        if (is_last && at + 1 < taken) begin_lookup(place, at + 1, group, tables, p);
        const bool goes_on = !is_last || at + 1 < taken;
        if (goes_on) group.begins[1 - side][lane] = find_begin(place, lane, tables, p);

        KILN_UNROLL_ALL
        for (int step = 0; step < kSteps; ++step) {
          if (part == 0) {
            Interval& interval = group.intervals[step * kTeams + team];
            (is_high ? interval.high : interval.low) = loaded[step].at[0];
          }
        }
        sync_group();
        KILN_UNROLL_ALL
        for (int step = 0; step < kSteps; ++step) {
          const int n = step * kTeams + team;
          if (step * kTeams >= here) break;
          if (n >= here) continue;
          const double amount = group.begins[side][n].amount;
          Interval interval = group.intervals[n];
          if (kWalk && energy >= interval.high) {
            int left = group.begins[side][n].left;
            const double* low = grid + (long long)group.begins[side][n].point * kPointSize;
            for (; energy >= interval.high && left > 0; --left) {
              low += kPointSize;
              interval = Interval{interval.high, low[kPointSize]};
            }
            if (part < 3) loaded[step] = kiln::load_pack<2>(low + offset);
          }
          const double low_weight =
              (interval.high - energy) * (amount * fast_reciprocal(interval.high - interval.low));
          const double weight = is_high ? amount - low_weight : low_weight;
          sum_0 = fma(weight, loaded[step].at[0], sum_0);
          sum_1 = fma(weight, loaded[step].at[1], sum_1);
        }
        if (is_last) {
          for (int mask = 4; mask < kLanes; mask *= 2) {
            sum_0 += kiln::shuffle_xor(sum_0, mask);
            sum_1 += kiln::shuffle_xor(sum_1, mask);
          }
          if (lane > 0 && lane < 3) group.macro[2 * lane - 1][at] = sum_0;
          if (lane < 3) group.macro[2 * lane][at] = sum_1;
          sum_0 = sum_1 = 0;
        }
        if (!goes_on) break;
        side = 1 - side;
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
