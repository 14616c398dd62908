#include "kiln/params.h"

// Mixed keys: `distinct` of them, or all that the type has; `order` 1: sorted already, 2: the other way
// round.
extern "C" __global__ void make_keys(Key* __restrict__ keys, const Params p) {
  const long long i = kiln::global_index_x();
  if (i >= p.n) return;
  const unsigned long long bits = kiln::random_bits((unsigned long long)p.seed, (unsigned long long)i);
  const unsigned long long some = p.distinct > 0 ? bits % (unsigned long long)p.distinct : bits;
  keys[i] = Key(p.order == 0 ? some : p.order == 1 ? (unsigned long long)i : (unsigned long long)(p.n - i));
}

// 1 where an item is not what a stable sort by the bits [begin_bit, end_bit) has there. An item's payload is
// its number in the input. If there is no fault then the numbers grow among equal keys, so that none occurs
// twice.
extern "C" __global__ void find_faults(int* __restrict__ faults, const Key* __restrict__ sorted_keys,
                                       const unsigned* __restrict__ sorted_items,
                                       const Key* __restrict__ keys, const Params p) {
  const long long i = kiln::global_index_x();
  if (i >= p.n) return;
  const int width = p.end_bit - p.begin_bit;
  const unsigned long long mask = width >= 64 ? ~0ull : (1ull << width) - 1;
  bool wrong = false;
  if (p.payload) {
    const unsigned number = sorted_items[i];
    wrong = number >= (unsigned long long)p.n || keys[number] != sorted_keys[i];
  }
  if (i > 0) {
    const unsigned long long before = (unsigned long long)sorted_keys[i - 1] >> p.begin_bit & mask;
    const unsigned long long here = (unsigned long long)sorted_keys[i] >> p.begin_bit & mask;
    wrong = wrong || before > here;
    if (p.payload && before == here) wrong = wrong || sorted_items[i - 1] >= sorted_items[i];
  }
  faults[i] = wrong ? 1 : 0;
}

// What tells two lists of keys with the same elements from others, in any order: a mixed number of each key.
extern "C" __global__ void mix_keys(double* __restrict__ mixed, const Key* __restrict__ sorted_keys,
                                    const Params p) {
  const long long i = kiln::global_index_x();
  if (i < p.n) mixed[i] = double(kiln::random_bits(1, (unsigned long long)sorted_keys[i]) >> 40);
}

extern "C" __global__ void mix_keys_reference(double* __restrict__ mixed_reference,
                                              const Key* __restrict__ keys, const Params p) {
  const long long i = kiln::global_index_x();
  if (i < p.n) mixed_reference[i] = double(kiln::random_bits(1, (unsigned long long)keys[i]) >> 40);
}
