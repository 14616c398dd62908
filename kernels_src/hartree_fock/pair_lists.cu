#include "kiln/params.h"

#include "../sort/radix_sort.h"
#include "gaussian.h"
#include "pair_lists.h"

// What the tuned Fock build reads: made once, from geometry and basis alone. First the order of the pairs, by
// the radix sort of ../sort; then a block for each chunk.

constexpr int kWidth = Params::lanes * Params::kets;
constexpr int kMost = Params::ngauss * Params::ngauss;
constexpr int kListBlock = Params::lanes == 1 ? 1 : kWidth < 256 ? kWidth : 256;
constexpr int kTaskBlock = Params::task_block;

template <int Block>
__device__ inline void sync() {
  if (Block > 1) __syncthreads();
}

template <int Block>
__device__ inline int item_of_block() {
  return Block == 1 ? 0 : int(threadIdx.x);
}

__device__ inline long long pair_count(const Params& p) {
  return (long long)p.natoms * (p.natoms + 1) / 2;
}

// Where a pair is: the cell of six bohr that holds its middle, as a Morton number of eight cells along each
// axis. A larger cluster begins again at 0, which costs some order, and no result.
__device__ inline unsigned place_of(const double* geometry, Pair atoms) {
  unsigned place = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double middle = bohr(0.5 * (geometry[3 * atoms.i + axis] + geometry[3 * atoms.j + axis]));
    const unsigned cell = unsigned(int(fmin(fmax(floor(middle / 6), -1e9), 1e9)));
    for (int bit = 0; bit < kDigitBits / 3; ++bit) place |= (cell >> bit & 1) << (3 * bit + axis);
  }
  return place;
}

// The keys of the first pass, made where they are needed.
struct PairKeys {
  using Key = unsigned;
  const double* schwarz;
  const double* geometry;
  radix_sort::Share share;
  __device__ unsigned at(int k) const {
    const long long index = share.first + (long long)k * share.stride;
    return class_of(schwarz[index]) << kDigitBits | place_of(geometry, unpack(index));
  }
};

constexpr int kSortBlock = Params::sort_block;
constexpr int kSortItems = Params::sort_items;

extern "C" __global__ void count_pairs(unsigned* __restrict__ counts, const double* __restrict__ schwarz,
                                       const double* __restrict__ geometry, const Params p) {
  const radix_sort::Share share = radix_sort::share_of_tile<kSortBlock, kSortItems>(blockIdx.x);
  radix_sort::count<kDigitBits, kSortBlock, kSortItems>(counts, PairKeys{schwarz, geometry, share}, share,
                                                        radix_sort::BitsOf<kDigitBits>{0}, pair_count(p));
}

extern "C" __global__ void scatter_pairs(unsigned* __restrict__ keys, unsigned* __restrict__ items,
                                         const unsigned* __restrict__ counts,
                                         const unsigned* __restrict__ totals,
                                         const double* __restrict__ schwarz,
                                         const double* __restrict__ geometry, const Params p) {
  const radix_sort::Share share = radix_sort::share_of_tile<kSortBlock, kSortItems>(blockIdx.x);
  radix_sort::scatter<kDigitBits, kSortBlock, kSortItems>(
      keys, items, counts, totals, PairKeys{schwarz, geometry, share}, radix_sort::Numbered{share}, share,
      radix_sort::BitsOf<kDigitBits>{0}, pair_count(p));
}

struct Atoms {
  double i[3], j[3];
  double distance2;
};

__device__ inline Atoms atoms_of(const double* geometry, int i, int j) {
  Atoms atoms;
  atoms.distance2 = 0;
  for (int axis = 0; axis < 3; ++axis) {
    atoms.i[axis] = bohr(geometry[3 * i + axis]);
    atoms.j[axis] = bohr(geometry[3 * j + axis]);
    atoms.distance2 += (atoms.i[axis] - atoms.j[axis]) * (atoms.i[axis] - atoms.j[axis]);
  }
  return atoms;
}

// A block for each chunk: its pairs; the order of their primitives, by the largest weight in the chunk;
// centres and weights as [chunk][primitive][x, y, z, weight][pair]; and how many bras, from the largest bound
// on, meet the chunk. Those behind have a product of bounds below dtol with every pair of the chunk, or come
// after its last pair.
extern "C" __global__ void make_lists(RankedPair* __restrict__ ranked_pairs,
                                      ChunkPrimitive* __restrict__ chunk_primitives,
                                      double* __restrict__ pair_data, int* __restrict__ bra_counts,
                                      const unsigned* __restrict__ keys, const unsigned* __restrict__ items,
                                      const double* __restrict__ schwarz, const Slot* __restrict__ slots,
                                      const double* __restrict__ geometry, const Params p) {
  // The bits of floats that are not negative, which order as they do. Read four at a time: the padding keeps
  // these reads off `places`.
  __shared__ int bounds[(kMost + 3) / 4 * 4];
  __shared__ int places[kMost];
  const int item = item_of_block<kListBlock>();
  const long long pairs = pair_count(p);
  const long long chunk = blockIdx.x;
  const long long first = chunk * kWidth;
  for (int slot = item; slot < kMost; slot += kListBlock) bounds[slot] = 0;
  if (item == kListBlock - 1) {
    const double largest = class_bound(keys[first]);
    long long low = 0;
    long long high = first + kWidth < pairs ? first + kWidth : pairs;
    while (low < high) {
      const long long middle = (low + high) / 2;
      if (class_bound(keys[middle]) * largest > p.dtol) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    bra_counts[chunk] = int(low);
  }
  sync<kListBlock>();

  for (int at = item; at < kWidth; at += kListBlock) {
    const long long rank = first + at;
    if (rank >= pairs) {
      ranked_pairs[rank] = RankedPair{0, 0, 0, 0};
      continue;
    }
    const long long index = items[rank];
    const Pair pair = unpack(index);
    ranked_pairs[rank] = RankedPair{schwarz[index], class_bound(keys[rank]), int(pair.i), int(pair.j)};
    const double distance2 = atoms_of(geometry, int(pair.i), int(pair.j)).distance2;
    KILN_UNROLL(1)
    for (int slot = 0; slot < kMost; ++slot) {
      const double weight = fabs(slots[slot].coefficient * exp(-slots[slot].exponent * distance2));
      if (weight <= p.dtol) continue;
      const int bound = __float_as_int(float(weight * (1 + 1e-6)));
      if (kListBlock == 1) {
        bounds[slot] = bound > bounds[slot] ? bound : bounds[slot];
      } else {
        atomicMax(&bounds[slot], bound);
      }
    }
  }
  sync<kListBlock>();

  for (int slot = item; slot < kMost; slot += kListBlock) {
    int place = 0;
    KILN_UNROLL(4)
    for (int other = 0; other < kMost; ++other) {
      place += bounds[other] > bounds[slot] || (bounds[other] == bounds[slot] && other < slot) ? 1 : 0;
    }
    places[slot] = place;
    chunk_primitives[chunk * kMost + place] = ChunkPrimitive{
        __int_as_float(bounds[slot]), kind_of(slot / Params::ngauss, slot % Params::ngauss), slot};
  }
  sync<kListBlock>();

  for (int at = item; at < kWidth; at += kListBlock) {
    const long long rank = first + at;
    const bool is_there = rank < pairs;
    const Pair pair = unpack(is_there ? (long long)items[rank] : 0);
    const Atoms atoms = atoms_of(geometry, int(pair.i), int(pair.j));
    KILN_UNROLL(1)
    for (int slot = 0; slot < kMost; ++slot) {
      const Slot of = slots[slot];
      const double weight = of.coefficient * exp(-of.exponent * atoms.distance2);
      double* to = pair_data + (chunk * kMost + places[slot]) * 4 * kWidth + at;
      for (int axis = 0; axis < 3; ++axis) {
        to[axis * kWidth] = of.share_i * atoms.i[axis] + of.share_j * atoms.j[axis];
      }
      to[3 * kWidth] = is_there && fabs(weight) > p.dtol ? weight : 0;
    }
  }
}

// A task is `rows` bras with one chunk of kets; the sums say where the tasks of a chunk begin. One block; its
// work-items take neighbouring chunks.
extern "C" __global__ void number_tasks(long long* __restrict__ first_tasks,
                                        const int* __restrict__ bra_counts, const Params p) {
  __shared__ long long sums[2][kTaskBlock];
  const int item = item_of_block<kTaskBlock>();
  const long long chunks = (pair_count(p) + kWidth - 1) / kWidth;
  const long long each = (chunks + kTaskBlock - 1) / kTaskBlock;
  const long long begin = item * each < chunks ? item * each : chunks;
  const long long end = begin + each < chunks ? begin + each : chunks;
  long long sum = 0;
  for (long long chunk = begin; chunk < end; ++chunk) sum += (bra_counts[chunk] + p.rows - 1) / p.rows;
  int from = 0;
  sums[from][item] = sum;
  sync<kTaskBlock>();
  for (int distance = 1; distance < kTaskBlock; distance *= 2) {
    const long long before = item >= distance ? sums[from][item - distance] : 0;
    sums[1 - from][item] = sums[from][item] + before;
    from = 1 - from;
    sync<kTaskBlock>();
  }
  long long task = sums[from][item] - sum;
  for (long long chunk = begin; chunk < end; ++chunk) {
    first_tasks[chunk] = task;
    task += (bra_counts[chunk] + p.rows - 1) / p.rows;
  }
  if (item == kTaskBlock - 1) first_tasks[chunks] = task;
}
