#pragma once

// Stable sort by digits, the least significant first, for kernels of any workload: device functions for the
// three launches of a pass. README.md shows the launches and buffers that a workload needs for them.
//
//   count    each block counts the digits of its tile of Block * Items neighbouring items
//   scan     counts become places within a digit: a block for each digit
//   scatter  each block sorts its tile by the digit in shared memory and writes it, in runs of equal digits
//
// No block waits for another one. With Block 1, for CPUs, nothing waits at all and a tile is one loop.
//
// Items come from a source, which is made for each work-item and need not be memory: `Source::Key at(int k)`
// is the work-item's k-th item, item first + k * stride of the whole; it is asked for in the order of k, each
// at most once. A digit functor gives the digit of a key, below 2^Bits.
//
// The text that includes this includes "kiln/params.h" or "kiln/portable.h" before it.

namespace radix_sort {

/// Lanes of a block's warps; a block of one work-item is a warp of its own.
template <int Block>
constexpr int kLanes = Block < kiln::warp_size ? Block : kiln::warp_size;

/// The items of a work-item: `first`, then every `stride`-th one. A warp's items are neighbours, so that the
/// order in a tile is that of (warp, k, lane).
struct Share {
  long long first;
  int stride;
};

template <int Block, int Items>
__device__ inline Share share_of_tile(long long tile) {
  static_assert(Block == 1 || Block % kiln::warp_size == 0, "whole warps, or one work-item");
  constexpr int lanes = kLanes<Block>;
  const int item = Block == 1 ? 0 : int(threadIdx.x);
  return Share{tile * (Block * Items) + item / lanes * (lanes * Items) + item % lanes, lanes};
}

/// Items in memory.
template <class Element>
struct Stored {
  using Key = Element;
  static constexpr bool kStored = true;
  const Element* items;
  Share share;
  __device__ Element at(int k) const { return items[share.first + (long long)k * share.stride]; }
};

/// The number of each item, as its payload.
struct Numbered {
  static constexpr bool kStored = true;
  Share share;
  __device__ unsigned at(int k) const { return unsigned(share.first + (long long)k * share.stride); }
};

/// In place of a payload.
struct NoPayload {
  static constexpr bool kStored = false;
  __device__ unsigned at(int) const { return 0; }
};

/// `Bits` bits of a key, from `shift` on.
template <int Bits>
struct BitsOf {
  int shift;
  template <class Key>
  __device__ unsigned operator()(Key key) const {
    return unsigned(key >> shift) & ((1u << Bits) - 1);
  }
};

template <int Block>
__device__ inline void sync_block() {
  if (Block > 1) __syncthreads();
}

/// In place: each of `Count` values in shared memory becomes the sum of those before it. The sum of all comes
/// back.
template <int Block, int Count>
__device__ inline unsigned exclusive_scan(unsigned* values) {
  constexpr int each = (Count + Block - 1) / Block;
  __shared__ unsigned sums[2][Block];
  const int item = Block == 1 ? 0 : int(threadIdx.x);
  unsigned sum = 0;
  for (int i = item * each; i < item * each + each && i < Count; ++i) sum += values[i];
  int from = 0;
  sums[from][item] = sum;
  sync_block<Block>();
  for (int distance = 1; distance < Block; distance *= 2) {
    const unsigned before = item >= distance ? sums[from][item - distance] : 0;
    sums[1 - from][item] = sums[from][item] + before;
    from = 1 - from;
    sync_block<Block>();
  }
  const unsigned all = sums[from][Block - 1];
  unsigned before = sums[from][item] - sum;
  for (int i = item * each; i < item * each + each && i < Count; ++i) {
    const unsigned value = values[i];
    values[i] = before;
    before += value;
  }
  sync_block<Block>();
  return all;
}

/// counts[digit * tiles + tile]: how often each digit occurs in the tile of this block.
template <int Bits, int Block, int Items, class Source, class Digit>
__device__ inline void count(unsigned* __restrict__ counts, Source source, Share share, Digit digit,
                             long long n) {
  constexpr int digits = 1 << Bits;
  if constexpr (Block == 1) {
    unsigned sums[digits] = {};
    for (int k = 0; k < Items && share.first + k < n; ++k) ++sums[digit(source.at(k))];
    for (int d = 0; d < digits; ++d) counts[(long long)d * gridDim.x + blockIdx.x] = sums[d];
  } else {
    __shared__ unsigned sums[digits];
    const int item = int(threadIdx.x);
    for (int d = item; d < digits; d += Block) sums[d] = 0;
    __syncthreads();
    for (int k = 0; k < Items; ++k) {
      if (share.first + (long long)k * share.stride >= n) break;
      atomicAdd(&sums[digit(source.at(k))], 1u);
    }
    __syncthreads();
    for (int d = item; d < digits; d += Block) counts[(long long)d * gridDim.x + blockIdx.x] = sums[d];
  }
}

/// In place: counts of the digit blockIdx.x become the number of its items in the tiles before;
/// totals[digit]: in all tiles.
template <int Block>
__device__ inline void scan(unsigned* __restrict__ counts, unsigned* __restrict__ totals, int tiles) {
  unsigned* row = counts + (long long)blockIdx.x * tiles;
  unsigned before = 0;
  if constexpr (Block == 1) {
    for (int tile = 0; tile < tiles; ++tile) {
      const unsigned count = row[tile];
      row[tile] = before;
      before += count;
    }
    totals[blockIdx.x] = before;
  } else {
    __shared__ unsigned values[Block];
    const int item = int(threadIdx.x);
    for (int begin = 0; begin < tiles; begin += Block) {
      const int tile = begin + item;
      values[item] = tile < tiles ? row[tile] : 0;
      __syncthreads();
      const unsigned sum = exclusive_scan<Block, Block>(values);
      if (tile < tiles) row[tile] = before + values[item];
      before += sum;
    }
    if (item == 0) totals[blockIdx.x] = before;
  }
}

// The lanes of a warp as bits.
template <int Lanes>
struct LaneMask {
  using Type = unsigned;
  __device__ static int count(unsigned mask) { return __popc(mask); }
};
template <>
struct LaneMask<64> {
  using Type = unsigned long long;
  __device__ static int count(unsigned long long mask) { return __popcll(mask); }
};

/// Shared memory of scatter.
template <int Bits, int Block, int Items, class Key>
struct Exchange {
  static constexpr int kDigits = 1 << Bits;
  static constexpr int kWarps = Block / kLanes<Block>;
  using Mask = typename LaneMask<kLanes<Block>>::Type;
  unsigned starts[kDigits];  // where a digit begins: in all items, less where it does in the tile
  unsigned scanned[kDigits];
  unsigned short ranks[kWarps][kDigits];  // of the items that a warp has ranked; then where its items begin
  union {
    Mask lanes[kWarps][kDigits];  // those of the warp that have a digit
    Key keys[Block * Items];      // of the tile, sorted
    unsigned payload[Block * Items];
  };
};

/// Writes the items of one tile to their places. `shared.starts[digit]`: the place of the tile's first item
/// of a digit, and when all have left the place of the next tile's. `left`: how many items there are from the
/// tile's first on.
template <int Bits, int Block, int Items, class Source, class Payload, class Digit>
__device__ inline void scatter_tile(Exchange<Bits, Block, Items, typename Source::Key>& shared,
                                    typename Source::Key* __restrict__ sorted_keys,
                                    unsigned* __restrict__ sorted_payload, Source source, Payload payload,
                                    Share share, Digit digit, long long n, long long left) {
  using Key = typename Source::Key;
  using Shared = Exchange<Bits, Block, Items, Key>;
  using Lanes = LaneMask<kLanes<Block>>;
  using Mask = typename Lanes::Type;
  constexpr int digits = 1 << Bits;
  constexpr int lanes = kLanes<Block>;
  static_assert(Block * Items < 65536, "places in a tile have 16 bits");
  const int item = int(threadIdx.x);
  const int warp = item / lanes;
  const int lane = item % lanes;
  for (int d = lane; d < digits; d += lanes) {
    shared.ranks[warp][d] = 0;
    shared.lanes[warp][d] = 0;
  }
  kiln::sync_warp();

  // Each item's rank among those of its warp with the same digit. Items behind the last one have the largest
  // digit, and so the last places.
  Key keys[Items];
  unsigned short ranks[Items];
  const Mask below = (Mask(1) << lane) - 1;
  KILN_UNROLL_ALL
  for (int k = 0; k < Items; ++k) {
    const bool is_there = share.first + (long long)k * share.stride < n;
    keys[k] = is_there ? source.at(k) : Key(0);
  }
  KILN_UNROLL_ALL
  for (int k = 0; k < Items; ++k) {
    const bool is_there = share.first + (long long)k * share.stride < n;
    const unsigned d = is_there ? digit(keys[k]) : digits - 1;
    atomicOr(&shared.lanes[warp][d], Mask(1) << lane);
    kiln::sync_warp();
    const Mask peers = shared.lanes[warp][d];
    const unsigned short before = shared.ranks[warp][d];
    ranks[k] = (unsigned short)(before + Lanes::count(peers & below));
    kiln::sync_warp();
    if ((peers & below) == 0) {
      shared.ranks[warp][d] = (unsigned short)(before + Lanes::count(peers));
      shared.lanes[warp][d] = 0;
    }
    kiln::sync_warp();
  }
  __syncthreads();

  // Where each warp's items of a digit begin in the tile.
  for (int d = item; d < digits; d += Block) {
    unsigned sum = 0;
    for (int w = 0; w < Shared::kWarps; ++w) sum += shared.ranks[w][d];
    shared.scanned[d] = sum;
  }
  __syncthreads();
  exclusive_scan<Block, digits>(shared.scanned);
  for (int d = item; d < digits; d += Block) {
    unsigned place = shared.scanned[d];
    shared.starts[d] -= place;
    for (int w = 0; w < Shared::kWarps; ++w) {
      const unsigned here = shared.ranks[w][d];
      shared.ranks[w][d] = (unsigned short)place;
      place += here;
    }
  }
  __syncthreads();

  KILN_UNROLL_ALL
  for (int k = 0; k < Items; ++k) {
    const bool is_there = share.first + (long long)k * share.stride < n;
    ranks[k] = (unsigned short)(ranks[k] + shared.ranks[warp][is_there ? digit(keys[k]) : digits - 1]);
    shared.keys[ranks[k]] = keys[k];
  }
  __syncthreads();
  unsigned places[Items];
  KILN_UNROLL_ALL
  for (int k = 0; k < Items; ++k) {
    const int at = k * Block + item;
    if (at >= left) continue;
    const Key key = shared.keys[at];
    places[k] = shared.starts[digit(key)] + at;
    sorted_keys[places[k]] = key;
  }
  __syncthreads();
  if (Payload::kStored) {
    KILN_UNROLL_ALL
    for (int k = 0; k < Items; ++k) {
      if (share.first + (long long)k * share.stride < n) shared.payload[ranks[k]] = payload.at(k);
    }
    __syncthreads();
    KILN_UNROLL_ALL
    for (int k = 0; k < Items; ++k) {
      const int at = k * Block + item;
      if (at < left) sorted_payload[places[k]] = shared.payload[at];
    }
  }
  for (int d = item; d < digits; d += Block)
    shared.starts[d] += d + 1 < digits ? shared.scanned[d + 1] : Block * Items;
  __syncthreads();
}

/// Writes the items of this block's tile to their places. `counts` and `totals` are those of `scan`;
/// `payload` is a source with numbers of 32 bits, or NoPayload.
template <int Bits, int Block, int Items, class Source, class Payload, class Digit>
__device__ inline void scatter(typename Source::Key* __restrict__ sorted_keys,
                               unsigned* __restrict__ sorted_payload, const unsigned* __restrict__ counts,
                               const unsigned* __restrict__ totals, Source source, Payload payload,
                               Share share, Digit digit, long long n) {
  using Key = typename Source::Key;
  constexpr int digits = 1 << Bits;
  if constexpr (Block == 1) {
    unsigned places[digits];
    unsigned before = 0;
    for (int d = 0; d < digits; ++d) {
      places[d] = before + counts[(long long)d * gridDim.x + blockIdx.x];
      before += totals[d];
    }
    for (int k = 0; k < Items; ++k) {
      if (share.first + k >= n) break;
      const Key key = source.at(k);
      const unsigned place = places[digit(key)]++;
      sorted_keys[place] = key;
      if (Payload::kStored) sorted_payload[place] = payload.at(k);
    }
  } else {
    __shared__ Exchange<Bits, Block, Items, Key> shared;
    const int item = int(threadIdx.x);
    for (int d = item; d < digits; d += Block) shared.scanned[d] = totals[d];
    __syncthreads();
    exclusive_scan<Block, digits>(shared.scanned);
    for (int d = item; d < digits; d += Block)
      shared.starts[d] = shared.scanned[d] + counts[(long long)d * gridDim.x + blockIdx.x];
    __syncthreads();
    scatter_tile<Bits, Block, Items>(shared, sorted_keys, sorted_payload, source, payload, share, digit, n,
                                     n - (long long)blockIdx.x * (Block * Items));
  }
}

/// One pass over `n` items by one block: for many short lists, one for each block. `source_of(share)` and
/// `payload_of(share)` make the sources of a tile's items.
template <int Bits, int Block, int Items, class Key, class SourceOf, class PayloadOf, class Digit>
__device__ inline void sort_segment(Key* sorted_keys, unsigned* sorted_payload, SourceOf source_of,
                                    PayloadOf payload_of, Digit digit, long long n) {
  constexpr int digits = 1 << Bits;
  const long long tiles = (n + Block * Items - 1) / (Block * Items);
  if constexpr (Block == 1) {
    unsigned places[digits] = {};
    for (long long tile = 0; tile < tiles; ++tile) {
      const Share share = share_of_tile<Block, Items>(tile);
      auto source = source_of(share);
      for (int k = 0; k < Items && share.first + k < n; ++k) ++places[digit(source.at(k))];
    }
    exclusive_scan<Block, digits>(places);
    for (long long tile = 0; tile < tiles; ++tile) {
      const Share share = share_of_tile<Block, Items>(tile);
      auto source = source_of(share);
      auto payload = payload_of(share);
      for (int k = 0; k < Items && share.first + k < n; ++k) {
        const Key key = source.at(k);
        const unsigned place = places[digit(key)]++;
        sorted_keys[place] = key;
        if (decltype(payload)::kStored) sorted_payload[place] = payload.at(k);
      }
    }
  } else {
    __shared__ Exchange<Bits, Block, Items, Key> shared;
    for (int d = int(threadIdx.x); d < digits; d += Block) shared.starts[d] = 0;
    __syncthreads();
    for (long long tile = 0; tile < tiles; ++tile) {
      const Share share = share_of_tile<Block, Items>(tile);
      auto source = source_of(share);
      for (int k = 0; k < Items && share.first + (long long)k * share.stride < n; ++k)
        atomicAdd(&shared.starts[digit(source.at(k))], 1u);
    }
    __syncthreads();
    exclusive_scan<Block, digits>(shared.starts);
    for (long long tile = 0; tile < tiles; ++tile) {
      const Share share = share_of_tile<Block, Items>(tile);
      scatter_tile<Bits, Block, Items>(shared, sorted_keys, sorted_payload, source_of(share),
                                       payload_of(share), share, digit, n, n - tile * (Block * Items));
    }
  }
}

}  // namespace radix_sort
