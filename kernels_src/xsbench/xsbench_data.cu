#include "kiln/params.h"

#include "../sort/radix_sort.h"
#include "lookup.h"
#include "sampling.h"

// The data set. Point j of isotope i, before it is sorted, has the numbers 6 (i gridpoints + j) to + 5 of the
// seed 42.

constexpr Word kDataSeed = 42;

// The energies as they are drawn, as the bits of doubles, whose order is that of positive doubles.
extern "C" __global__ void draw_energies(Word* __restrict__ keys, const Params p) {
  const long long point = kiln::global_index_x();
  if (point >= (long long)p.n_isotopes * p.n_gridpoints) return;
  keys[point] = Word(__double_as_longlong(value_of(skip(kDataSeed, Word(kPointSize) * Word(point) + 1))));
}

// Energies are below 1 and not negative: 62 bits, in 8 passes.
constexpr int kDigitBits = 8;
constexpr int kPasses = 8;
constexpr int kBlock = Params::init_block;
constexpr int kItems = Params::init_items;

/// The numbers of the points in the order of drawing; in the first pass each point's own.
struct DrawnPoints {
  static constexpr bool kStored = true;
  const unsigned* from;
  radix_sort::Share share;
  __device__ unsigned at(int k) const {
    const long long i = share.first + (long long)k * share.stride;
    return from != nullptr ? from[i] : unsigned(i);
  }
};

// A block for each isotope: its energies in ascending order, and the number of each in the order of drawing.
extern "C" __global__ void sort_isotopes(unsigned* drawn, Word* keys, unsigned* other_drawn, Word* other_keys,
                                         const Params p) {
  const long long n = p.n_gridpoints;
  const long long begin = n * blockIdx.x;
  for (int pass = 0; pass < kPasses; ++pass) {
    const Word* from = (pass % 2 == 0 ? keys : other_keys) + begin;
    const unsigned* drawn_from = pass == 0 ? nullptr : (pass % 2 == 0 ? drawn : other_drawn) + begin;
    radix_sort::sort_segment<kDigitBits, kBlock, kItems>(
        (pass % 2 == 0 ? other_keys : keys) + begin, (pass % 2 == 0 ? other_drawn : drawn) + begin,
        [=](radix_sort::Share share) {
          return radix_sort::Stored<Word>{from, share};
        },
        [=](radix_sort::Share share) {
          return DrawnPoints{drawn_from, share};
        },
        radix_sort::BitsOf<kDigitBits>{kDigitBits * pass}, n);
  }
}

// The six numbers of each point, in the order of energies.
extern "C" __global__ void make_grid(double* __restrict__ grid, const unsigned* __restrict__ drawn,
                                     const Params p) {
  const long long point = kiln::global_index_x();
  if (point >= (long long)p.n_isotopes * p.n_gridpoints) return;
  const long long isotope = point / p.n_gridpoints;
  Word state = skip(kDataSeed, Word(kPointSize) * Word(isotope * p.n_gridpoints + drawn[point]));
  for (int c = 0; c < kPointSize; ++c) {
    state = after(Jump{kFactor, 1}, state);
    grid[point * kPointSize + c] = value_of(state);
  }
}

// All energies in ascending order, as bits, which are doubles: by one block.
extern "C" __global__ void sort_union(Word* union_energies, Word* other_energies,
                                      const double* __restrict__ grid, const Params p) {
  if (Params::grid_type != kUnionized) return;
  const long long n = (long long)p.n_isotopes * p.n_gridpoints;
  for (long long at = threadIdx.x; at < n; at += kBlock)
    union_energies[at] = Word(__double_as_longlong(grid[at * kPointSize]));
  radix_sort::sync_block<kBlock>();
  for (int pass = 0; pass < kPasses; ++pass) {
    const Word* from = pass % 2 == 0 ? union_energies : other_energies;
    radix_sort::sort_segment<kDigitBits, kBlock, kItems>(
        pass % 2 == 0 ? other_energies : union_energies, nullptr,
        [=](radix_sort::Share share) {
          return radix_sort::Stored<Word>{from, share};
        },
        [](radix_sort::Share) { return radix_sort::NoPayload{}; },
        radix_sort::BitsOf<kDigitBits>{kDigitBits * pass}, n);
  }
}

// index[row][isotope]: the isotope's point at or below the row's energy. A row is a bin of the hash or a
// point of the union; there a work-item walks through `union_rows` points with one isotope.
extern "C" __global__ void make_index(int* __restrict__ index, const double* __restrict__ union_energies,
                                      const double* __restrict__ grid, const Params p) {
  const long long item = kiln::global_index_x();
  const long long isotope = item % p.n_isotopes;
  const double* points = grid + isotope * p.n_gridpoints * kPointSize;
  if (Params::grid_type == kHash) {
    const long long bin = item / p.n_isotopes;
    if (bin < p.hash_bins)
      index[item] = search_points(points, 0, p.n_gridpoints - 1, double(bin) * (1.0 / p.hash_bins));
  } else if (Params::grid_type == kUnionized) {
    const long long n = (long long)p.n_isotopes * p.n_gridpoints;
    const long long first = item / p.n_isotopes * p.union_rows;
    if (first >= n) return;
    int point = search_points(points, 0, p.n_gridpoints - 1, union_energies[first]);
    for (long long at = first; at < first + p.union_rows && at < n; ++at) {
      while (point < p.n_gridpoints - 2 && union_energies[at] >= points[(point + 1ll) * kPointSize]) ++point;
      index[at * p.n_isotopes + isotope] = point;
    }
  } else if (item < p.n_isotopes) {
    index[item] = 0;
  }
}

__device__ inline int count_of(int material, const Params& p) {
  const int counts[kMaterials] = {0, 5, 4, 4, 27, 21, 21, 21, 21, 21, 9, 9};
  return material == 0 ? fuel_nuclides(p.n_isotopes) : counts[material];
}

extern "C" __global__ void make_counts(int* __restrict__ nuclide_counts, const Params p) {
  nuclide_counts[threadIdx.x] = count_of(int(threadIdx.x), p);
}

// Which nuclides each material has; fuel has those from 68 on, too.
extern "C" __global__ void make_nuclides(int* __restrict__ nuclides, const Params p) {
  const int fuel[34] = {58, 59, 60, 61, 40, 42, 43, 44, 45, 46, 1,  2,  3,  7,  8,  9,  10,
                        29, 57, 47, 48, 0,  62, 15, 33, 34, 52, 53, 54, 55, 56, 18, 23, 41};
  const int cladding[5] = {63, 64, 65, 66, 67};
  const int water[4] = {24, 41, 4, 5};
  const int vessel[27] = {19, 20, 21, 22, 35, 36, 37, 38, 39, 25, 27, 28, 29, 30,
                          31, 32, 26, 49, 50, 51, 11, 12, 13, 14, 6,  16, 17};
  const int reflector[21] = {24, 41, 4,  5,  19, 20, 21, 22, 35, 36, 37,
                             38, 39, 25, 49, 50, 51, 11, 12, 13, 14};
  const int assembly[9] = {24, 41, 4, 5, 63, 64, 65, 66, 67};
  const int width = fuel_nuclides(p.n_isotopes);
  const int item = int(kiln::global_index_x());
  if (item >= kMaterials * width) return;
  const int material = item / width;
  const int at = item % width;
  nuclides[item] = at >= count_of(material, p) ? 0
                   : material == 0             ? (at < 34 ? fuel[at] : 68 + at - 34)
                   : material == 1             ? cladding[at]
                   : material <= 3             ? water[at]
                   : material == 4             ? vessel[at]
                   : material <= 9             ? reflector[at]
                                               : assembly[at];
}

// Drawn from the seed 1070^2, material by material.
extern "C" __global__ void make_amounts(double* __restrict__ amounts, const Params p) {
  const int width = fuel_nuclides(p.n_isotopes);
  const int item = int(kiln::global_index_x());
  if (item >= kMaterials * width) return;
  const int material = item / width;
  const int at = item % width;
  int drawn = 0;
  for (int m = 0; m < material; ++m) drawn += count_of(m, p);
  amounts[item] =
      at < count_of(material, p) ? value_of(skip(kLookupSeed * kLookupSeed, Word(drawn + at + 1))) : 0;
}
