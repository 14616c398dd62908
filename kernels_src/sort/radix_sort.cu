#include "kiln/portable.h"

#include "radix_sort.h"

// One pass over keys in memory, as kernels: see README.md.

namespace radix_sort {

template <class Key, int Bits, int Block, int Items>
__global__ void count_digits(unsigned* __restrict__ counts, const Key* __restrict__ keys, int shift,
                             long long n) {
  const Share share = share_of_tile<Block, Items>(blockIdx.x);
  count<Bits, Block, Items>(counts, Stored<Key>{keys, share}, share, BitsOf<Bits>{shift}, n);
}

template <int Block>
__global__ void scan_counts(unsigned* __restrict__ counts, unsigned* __restrict__ totals, int tiles) {
  scan<Block>(counts, totals, tiles);
}

template <class Key, int Bits, int Block, int Items>
__global__ void scatter_keys(Key* __restrict__ sorted_keys, const Key* __restrict__ keys,
                             const unsigned* __restrict__ counts, const unsigned* __restrict__ totals,
                             int shift, long long n) {
  const Share share = share_of_tile<Block, Items>(blockIdx.x);
  scatter<Bits, Block, Items>(sorted_keys, static_cast<unsigned*>(nullptr), counts, totals,
                              Stored<Key>{keys, share}, NoPayload{}, share, BitsOf<Bits>{shift}, n);
}

template <class Key, int Bits, int Block, int Items>
__global__ void scatter_pairs(Key* __restrict__ sorted_keys, unsigned* __restrict__ sorted_payload,
                              const Key* __restrict__ keys, const unsigned* __restrict__ payload,
                              const unsigned* __restrict__ counts, const unsigned* __restrict__ totals,
                              int shift, long long n) {
  const Share share = share_of_tile<Block, Items>(blockIdx.x);
  scatter<Bits, Block, Items>(sorted_keys, sorted_payload, counts, totals, Stored<Key>{keys, share},
                              Stored<unsigned>{payload, share}, share, BitsOf<Bits>{shift}, n);
}

/// As scatter_pairs; an item's payload is its number.
template <class Key, int Bits, int Block, int Items>
__global__ void scatter_numbered(Key* __restrict__ sorted_keys, unsigned* __restrict__ sorted_payload,
                                 const Key* __restrict__ keys, const unsigned* __restrict__ counts,
                                 const unsigned* __restrict__ totals, int shift, long long n) {
  const Share share = share_of_tile<Block, Items>(blockIdx.x);
  scatter<Bits, Block, Items>(sorted_keys, sorted_payload, counts, totals, Stored<Key>{keys, share},
                              Numbered{share}, share, BitsOf<Bits>{shift}, n);
}

}  // namespace radix_sort
