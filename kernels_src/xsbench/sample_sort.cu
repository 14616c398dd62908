#include "kiln/params.h"

#include "../sort/radix_sort.h"
#include "lookup.h"
#include "sampling.h"

// Sampling and sort: the first pass samples each lookup where it needs it, in count and in scatter, and
// writes it packed; the others read what the pass before has written. Sorted by material and by the upper
// `energy_bits` of the energy.

constexpr int kBits = Params::bits;
constexpr int kBlock = Params::sort_block;
constexpr int kItems = Params::sort_items;
constexpr int kEnergyBits = Params::passes * Params::bits - 4;

/// A work-item's lookups, drawn.
struct Sampled {
  using Key = Word;
  Word state;
  Jump step;
  __device__ explicit Sampled(radix_sort::Share share)
      : state(skip(kLookupSeed, 2 * Word(share.first) + 1)), step(jump_of(2 * radix_sort::kLanes<kBlock>)) {}
  __device__ Key at(int) {
    const Word drawn = state;
    state = after(step, state);
    return pack_lookup(material_of(value_of(after(Jump{kFactor, 1}, drawn))), value_of(drawn));
  }
};

/// The digit of a pass: of the energy, as a fraction of 2^energy_bits, and of the material above it.
template <int Bits>
struct LookupDigit {
  int shift;
  __device__ unsigned operator()(Word lookup) const {
    // In [1, 2) doubles are equally far apart. (An energy that is rounded up to 2 counts as the lowest: it is
    // found all the same.)
    const Word bits = Word(__double_as_longlong(packed_energy(lookup) + 1.0));
    const unsigned energy = unsigned(bits >> (52 - kEnergyBits)) & ((1u << kEnergyBits) - 1);
    const unsigned key = unsigned(packed_material(lookup)) << kEnergyBits | energy;
    return key >> shift & ((1u << Bits) - 1);
  }
};

extern "C" __global__ void KILN_LAUNCH_BOUNDS_count_samples count_samples(unsigned* __restrict__ counts,
                                                                          double* __restrict__ sums,
                                                                          Word* __restrict__ value_sum,
                                                                          const Params p) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {  // for the lookups' sums
    for (int c = 0; c < kChannels; ++c) sums[c] = 0;
    *value_sum = 0;
  }
  const radix_sort::Share share = radix_sort::share_of_tile<kBlock, kItems>(blockIdx.x);
  radix_sort::count<kBits, kBlock, kItems>(counts, Sampled(share), share, LookupDigit<kBits>{0}, p.lookups);
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_scatter_samples
scatter_samples(Word* __restrict__ sorted, const unsigned* __restrict__ counts,
                const unsigned* __restrict__ totals, const Params p) {
  const radix_sort::Share share = radix_sort::share_of_tile<kBlock, kItems>(blockIdx.x);
  radix_sort::scatter<kBits, kBlock, kItems>(sorted, nullptr, counts, totals, Sampled(share),
                                             radix_sort::NoPayload{}, share, LookupDigit<kBits>{0},
                                             p.lookups);
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_count_lookups count_lookups(unsigned* __restrict__ counts,
                                                                          const Word* __restrict__ lookups,
                                                                          int shift, const Params p) {
  const radix_sort::Share share = radix_sort::share_of_tile<kBlock, kItems>(blockIdx.x);
  radix_sort::count<kBits, kBlock, kItems>(counts, radix_sort::Stored<Word>{lookups, share}, share,
                                           LookupDigit<kBits>{shift}, p.lookups);
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_scan_counts scan_counts(unsigned* __restrict__ counts,
                                                                      unsigned* __restrict__ totals,
                                                                      int tiles) {
  radix_sort::scan<Params::scan_block>(counts, totals, tiles);
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_scatter_lookups scatter_lookups(
    Word* __restrict__ sorted, const Word* __restrict__ lookups, const unsigned* __restrict__ counts,
    const unsigned* __restrict__ totals, int shift, const Params p) {
  const radix_sort::Share share = radix_sort::share_of_tile<kBlock, kItems>(blockIdx.x);
  radix_sort::scatter<kBits, kBlock, kItems>(
      sorted, nullptr, counts, totals, radix_sort::Stored<Word>{lookups, share}, radix_sort::NoPayload{},
      share, LookupDigit<kBits>{shift}, p.lookups);
}
