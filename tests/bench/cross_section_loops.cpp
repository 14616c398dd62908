#include "cross_section_loops.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

namespace kiln::bench {
namespace {

constexpr std::uint64_t kFactor = 2806196910506780709U;
constexpr std::uint64_t kMask = (std::uint64_t{1} << 63) - 1;
constexpr std::uint64_t kSeed = 1070;
constexpr int kPoint = 6;
constexpr int kChannels = 5;
constexpr int kMaterials = 12;

std::uint64_t next(std::uint64_t state) {
  return (kFactor * state + 1) & kMask;
}

std::uint64_t skip(std::uint64_t state, std::uint64_t steps) {
  std::uint64_t factor = kFactor, add = 1, all_factor = 1, all_add = 0;
  for (; steps > 0; steps >>= 1) {
    if ((steps & 1) != 0) {
      all_factor *= factor;
      all_add = all_add * factor + add;
    }
    add *= factor + 1;
    factor *= factor;
  }
  return (all_factor * state + all_add) & kMask;
}

double value_of(std::uint64_t state) {
  return static_cast<double>(static_cast<std::int64_t>(state)) * 0x1p-63;
}

int material_of(double roll) {
  // Sums of the shares of the materials 1 to m.
  static constexpr double kUpTo[kMaterials] = {
      0,
      0.052,
      0.275 + 0.052,
      0.134 + 0.275 + 0.052,
      0.154 + 0.134 + 0.275 + 0.052,
      0.064 + 0.154 + 0.134 + 0.275 + 0.052,
      0.066 + 0.064 + 0.154 + 0.134 + 0.275 + 0.052,
      0.055 + 0.066 + 0.064 + 0.154 + 0.134 + 0.275 + 0.052,
      0.008 + 0.055 + 0.066 + 0.064 + 0.154 + 0.134 + 0.275 + 0.052,
      0.015 + 0.008 + 0.055 + 0.066 + 0.064 + 0.154 + 0.134 + 0.275 + 0.052,
      0.025 + 0.015 + 0.008 + 0.055 + 0.066 + 0.064 + 0.154 + 0.134 + 0.275 + 0.052,
      0.013 + 0.025 + 0.015 + 0.008 + 0.055 + 0.066 + 0.064 + 0.154 + 0.134 + 0.275 + 0.052};
  int passed = 0;
  for (int m = 1; m < kMaterials; ++m) passed += roll >= kUpTo[m] ? 1 : 0;
  return passed == kMaterials - 1 ? 0 : passed + 1;
}

const double* points_of(const CrossSections& data, int nuclide) {
  return data.grid + static_cast<std::ptrdiff_t>(nuclide) * data.gridpoints * kPoint;
}

int bin_of(const CrossSections& data, double energy) {
  return std::min(static_cast<int>(energy * data.bins), data.bins - 1);
}

int find_point(const CrossSections& data, const double* points, int bin, int nuclide, double energy) {
  const int* at = data.index + static_cast<std::ptrdiff_t>(bin) * data.isotopes + nuclide;
  int low = at[0];
  int high =
      bin == data.bins - 1 ? data.gridpoints - 1 : std::min(at[data.isotopes] + 1, data.gridpoints - 1);
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (points[static_cast<std::ptrdiff_t>(middle) * kPoint] > energy) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return low;
}

unsigned value_of(const double* macro) {
  unsigned best = 0;
  double largest = -1;
  for (unsigned c = 0; c < kChannels; ++c) {
    if (macro[c] > largest) {
      largest = macro[c];
      best = c;
    }
  }
  return best + 1;
}

}  // namespace

std::uint64_t look_up_in_turn(std::uint64_t* values, const CrossSections& data, std::int64_t lookups) {
  const int width = data.isotopes - 34;
  std::uint64_t sum = 0;
#pragma omp parallel for schedule(dynamic, 256) reduction(+ : sum)
  for (std::int64_t lookup = 0; lookup < lookups; ++lookup) {
    const std::uint64_t drawn = next(skip(kSeed, 2 * static_cast<std::uint64_t>(lookup)));
    const double energy = value_of(drawn);
    const int material = material_of(value_of(next(drawn)));
    const int bin = bin_of(data, energy);
    double macro[kChannels] = {};
    for (int n = 0; n < data.nuclide_counts[material]; ++n) {
      const int nuclide = data.nuclides[material * width + n];
      const double* points = points_of(data, nuclide);
      const double* low =
          points + static_cast<std::ptrdiff_t>(find_point(data, points, bin, nuclide, energy)) * kPoint;
      const double* high = low + kPoint;
      const double fraction = (high[0] - energy) / (high[0] - low[0]);
      for (int c = 0; c < kChannels; ++c) {
        macro[c] +=
            (high[1 + c] - fraction * (high[1 + c] - low[1 + c])) * data.amounts[material * width + n];
      }
    }
    values[lookup] = value_of(macro);
    sum += values[lookup];
  }
  return sum;
}

namespace {

constexpr int kBits = 8;
constexpr int kDigits = 1 << kBits;
constexpr int kEnergyBits = 12;
constexpr int kBatch = 16;
constexpr std::int64_t kTile = 65536;
constexpr std::uint64_t kEnergyMask = (std::uint64_t{1} << 58) - 1;

/// Material and energy: of a double in [2^-63, 1) the upper six bits say nothing.
std::uint64_t pack(int material, double energy) {
  return static_cast<std::uint64_t>(material) << 58 | (std::bit_cast<std::uint64_t>(energy) & kEnergyMask);
}
int material_of(std::uint64_t sample) {
  return static_cast<int>(sample >> 58);
}
double energy_of(std::uint64_t sample) {
  return std::bit_cast<double>((sample & kEnergyMask) | std::uint64_t{15} << 58);
}

template <int Shift>
unsigned digit_of(std::uint64_t sample) {
  const auto energy =
      static_cast<unsigned>(std::bit_cast<std::uint64_t>(energy_of(sample) + 1.0) >> (52 - kEnergyBits)) &
      ((1U << kEnergyBits) - 1);
  return (static_cast<unsigned>(sample >> 58) << kEnergyBits | energy) >> Shift & (kDigits - 1);
}

/// One pass; `for_each(tile, visit)` calls visit with each sample of a tile.
template <int Shift, class ForEach>
void sort_pass(std::uint64_t* sorted, std::vector<unsigned>& places, std::int64_t tiles,
               const ForEach& for_each) {
#pragma omp parallel for
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    unsigned counts[kDigits] = {};
    for_each(tile, [&](std::uint64_t sample) { ++counts[digit_of<Shift>(sample)]; });
    std::copy(counts, counts + kDigits, places.begin() + tile * kDigits);
  }
  unsigned before = 0;
  for (std::int64_t digit = 0; digit < kDigits; ++digit) {
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
      unsigned& place = places[static_cast<std::size_t>(tile * kDigits + digit)];
      const unsigned count = place;
      place = before;
      before += count;
    }
  }
#pragma omp parallel for
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    unsigned at[kDigits];
    std::copy(places.begin() + tile * kDigits, places.begin() + (tile + 1) * kDigits, at);
    for_each(tile, [&](std::uint64_t sample) { sorted[at[digit_of<Shift>(sample)]++] = sample; });
  }
}

/// A batch's lookups of one material.
void look_up_batch(LookupSums& sums, const std::uint64_t* batch, int count, const CrossSections& data) {
  const int material = material_of(batch[0]);
  const int width = data.isotopes - 34;
  double energy[kBatch];
  for (int v = 0; v < kBatch; ++v) energy[v] = energy_of(batch[std::min(v, count - 1)]);
  double macro[kChannels][kBatch] = {};
  const int bin = bin_of(data, energy[0]);
  for (int n = 0; n < data.nuclide_counts[material]; ++n) {
    const int nuclide = data.nuclides[material * width + n];
    const double amount = data.amounts[material * width + n];
    const double* points = points_of(data, nuclide);
    const int first = find_point(data, points, bin, nuclide, energy[0]);
    const double* low = points + static_cast<std::ptrdiff_t>(first) * kPoint;
    const double* last = points + static_cast<std::ptrdiff_t>(data.gridpoints - 2) * kPoint;
    if (energy[kBatch - 1] < low[kPoint] || low == last) {
      const double* high = low + kPoint;
      const double scale = amount / (high[0] - low[0]);
#pragma omp simd
      for (int v = 0; v < kBatch; ++v) {
        const double low_weight = (high[0] - energy[v]) * scale;
        const double high_weight = amount - low_weight;
        for (int c = 0; c < kChannels; ++c)
          macro[c][v] += low_weight * low[1 + c] + high_weight * high[1 + c];
      }
      continue;
    }
    for (int v = 0; v < kBatch; ++v) {
      while (energy[v] >= low[kPoint] && low < last) low += kPoint;
      const double* high = low + kPoint;
      const double low_weight = (high[0] - energy[v]) * (amount / (high[0] - low[0]));
      const double high_weight = amount - low_weight;
      for (int c = 0; c < kChannels; ++c) macro[c][v] += low_weight * low[1 + c] + high_weight * high[1 + c];
    }
  }
  for (int v = 0; v < count; ++v) {
    double of_one[kChannels];
    for (int c = 0; c < kChannels; ++c) {
      of_one[c] = macro[c][v];
      sums.channel[c] += of_one[c];
    }
    sums.values += value_of(of_one);
  }
}

}  // namespace

LookupSums look_up_sorted(std::uint64_t* samples, std::uint64_t* scratch, const CrossSections& data,
                          std::int64_t lookups) {
  const std::int64_t tiles = (lookups + kTile - 1) / kTile;
  std::vector<unsigned> places(static_cast<std::size_t>(tiles * kDigits));
  sort_pass<0>(scratch, places, tiles, [&](std::int64_t tile, const auto& visit) {
    std::uint64_t state = skip(kSeed, 2 * static_cast<std::uint64_t>(tile * kTile));
    for (std::int64_t i = tile * kTile; i < std::min((tile + 1) * kTile, lookups); ++i) {
      const std::uint64_t drawn = next(state);
      state = next(drawn);
      visit(pack(material_of(value_of(state)), value_of(drawn)));
    }
  });
  sort_pass<kBits>(samples, places, tiles, [&](std::int64_t tile, const auto& visit) {
    for (std::int64_t i = tile * kTile; i < std::min((tile + 1) * kTile, lookups); ++i) visit(scratch[i]);
  });
  double channel[kChannels] = {};
  std::uint64_t values = 0;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : channel[:kChannels], values)
  for (std::int64_t first = 0; first < lookups; first += kBatch) {
    const int count = static_cast<int>(std::min<std::int64_t>(kBatch, lookups - first));
    std::uint64_t batch[kBatch];
    std::copy(samples + first, samples + first + count, batch);
    std::sort(batch, batch + count);
    LookupSums sums;
    for (int begin = 0, end = 0; begin < count; begin = end) {
      while (end < count && material_of(batch[end]) == material_of(batch[begin])) ++end;
      look_up_batch(sums, batch + begin, end - begin, data);
    }
    for (int c = 0; c < kChannels; ++c) channel[c] += sums.channel[c];
    values += sums.values;
  }
  LookupSums sums;
  std::copy(channel, channel + kChannels, sums.channel);
  sums.values = values;
  return sums;
}

}  // namespace kiln::bench
