#include "kiln/params.h"

#include "lookup.h"
#include "sampling.h"

// The published structure: a work-item for each lookup samples it, goes through the nuclides of its material,
// and writes its verification value.

__device__ inline void add_nuclide(double (&macro)[kChannels], const double* __restrict__ grid,
                                   const int* __restrict__ index, long long row, int nuclide, double amount,
                                   double energy, const Params& p) {
  const double* points = grid + (long long)nuclide * p.n_gridpoints * kPointSize;
  const double* low = points + (long long)find_point(points, index, row, nuclide, energy, p) * kPointSize;
  const double* high = low + kPointSize;
  const double fraction = (high[0] - energy) / (high[0] - low[0]);
  for (int c = 0; c < kChannels; ++c)
    macro[c] += (high[1 + c] - fraction * (high[1 + c] - low[1 + c])) * amount;
}

__device__ inline void look_up(double (&macro)[kChannels], long long lookup, const double* __restrict__ grid,
                               const int* __restrict__ index, const double* __restrict__ union_energies,
                               const int* __restrict__ nuclides, const double* __restrict__ amounts,
                               const int* __restrict__ nuclide_counts, const Params& p) {
  const Word drawn = after(Jump{kFactor, 1}, state_of_lookup(lookup));
  const double energy = value_of(drawn);
  const int material = material_of(value_of(after(Jump{kFactor, 1}, drawn)));
  const long long row = index_row(union_energies, energy, p);
  const int width = fuel_nuclides(p.n_isotopes);
  const int count = nuclide_counts[material];
  for (int c = 0; c < kChannels; ++c) macro[c] = 0;
  for (int n = 0; n < count; ++n)
    add_nuclide(macro, grid, index, row, nuclides[material * width + n], amounts[material * width + n],
                energy, p);
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_lookup_paper
lookup_paper(Word* __restrict__ values, const double* __restrict__ grid, const int* __restrict__ index,
             const double* __restrict__ union_energies, const int* __restrict__ nuclides,
             const double* __restrict__ amounts, const int* __restrict__ nuclide_counts, const Params p) {
  const long long lookup = kiln::global_index_x();
  if (lookup >= p.lookups) return;
  double macro[kChannels];
  look_up(macro, lookup, grid, index, union_energies, nuclides, amounts, nuclide_counts, p);
  values[lookup] = Word(verification_value(macro));
}

// The sum of the values. `value_sum` is 0 before.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_sum_values sum_values(Word* __restrict__ value_sum,
                                                                    const Word* __restrict__ values,
                                                                    const Params p) {
  const long long first = kiln::global_index_x();
  Word sum = 0;
  if (Params::sum_block == 1) {  // a CPU's work-item takes neighbours
    const long long share = (p.lookups + gridDim.x - 1) / gridDim.x;
    for (long long at = first * share; at < (first + 1) * share && at < p.lookups; ++at) sum += values[at];
  } else {
    for (long long at = first; at < p.lookups; at += kiln::global_size_x()) sum += values[at];
    sum = kiln::block_reduce_sum<Params::sum_block>(sum, int(threadIdx.x));
  }
  if (threadIdx.x == 0) atomicAdd(value_sum, sum);
}

// For the checks: the sums over all lookups of what lookup_paper makes and does not write. `sums` are 0
// before.
extern "C" __global__ void sum_lookups(double* __restrict__ sums, const double* __restrict__ grid,
                                       const int* __restrict__ index,
                                       const double* __restrict__ union_energies,
                                       const int* __restrict__ nuclides, const double* __restrict__ amounts,
                                       const int* __restrict__ nuclide_counts, const Params p) {
  const long long item = kiln::global_index_x();
  double sum[kChannels] = {};
  for (long long lookup = item; lookup < p.lookups; lookup += kiln::global_size_x()) {
    double macro[kChannels];
    look_up(macro, lookup, grid, index, union_energies, nuclides, amounts, nuclide_counts, p);
    for (int c = 0; c < kChannels; ++c) sum[c] += macro[c];
  }
  for (int c = 0; c < kChannels; ++c) atomicAdd(&sums[c], sum[c]);
}
