#include "kiln/params.h"

#include "su3.h"

// A block takes a tile of neighbouring sites. Their links come into shared memory by words of 16 bytes,
// neighbouring work-items moving neighbouring words, and leave it in the same way. In between each work-item
// multiplies `rounds` rows of links, which it replaces where they stand. With `ahead` a block stays and takes
// every gridDim.x-th tile; the next one's words are on their way while it works on one.

constexpr int kRowNumbers = 6;
constexpr int kRows = kSiteNumbers / kRowNumbers;
constexpr int kBlock = Params::block;
constexpr int kRounds = Params::rounds;
constexpr bool kAlike = kBlock % kRows == 0;     // all rows of a work-item meet one matrix of b
constexpr int kTile = kBlock * kRounds / kRows;  // sites
constexpr int kWordNumbers = 16 / int(sizeof(T));
constexpr int kSiteWords = kSiteNumbers / kWordNumbers;
constexpr int kTileWords = kTile * kSiteWords;
constexpr int kMoves = (kTileWords + kBlock - 1) / kBlock;  // words of a work-item

using Word = kiln::Pack<T, kWordNumbers>;
using Complex = kiln::Pack<T, 2>;

__device__ inline Word load(const T* __restrict__ from) {
  return Params::loads == 1 ? kiln::stream_load_pack<kWordNumbers>(from)
                            : kiln::fetch_pack<kWordNumbers, Params::fetch>(from);
}

__device__ inline void store(T* __restrict__ to, Word word) {
  if (Params::stores == 1) {
    kiln::stream_store_pack(to, word);
  } else {
    kiln::store_pack(to, word);
  }
}

// Calls move(m, word, place) for each word of the work-item in a tile with `sites` sites: its number, its
// place in the tile, and where it stands among the numbers of a lattice from the tile's first on.
template <class Move>
__device__ inline void for_each_word(int sites, Move move) {
  KILN_UNROLL_ALL
  for (int m = 0; m < kMoves; ++m) {
    const int word = m * kBlock + int(threadIdx.x);
    const int site = word / kSiteWords;
    if (site < sites) move(m, word, site * kStride + word % kSiteWords * kWordNumbers);
  }
}

__device__ inline void multiply_row(T* row, const T* __restrict__ matrix) {
  Complex left[3], sum[3] = {};
  KILN_UNROLL_ALL
  for (int m = 0; m < 3; ++m) left[m] = kiln::load_pack<2>(row + 2 * m);
  KILN_UNROLL_ALL
  for (int m = 0; m < 3; ++m) {
    KILN_UNROLL_ALL
    for (int column = 0; column < 3; ++column) {
      const Complex right = kiln::load_pack<2>(matrix + 2 * (3 * m + column));
      sum[column].at[0] += left[m].at[0] * right.at[0] - left[m].at[1] * right.at[1];
      sum[column].at[1] += left[m].at[0] * right.at[1] + left[m].at[1] * right.at[0];
    }
  }
  KILN_UNROLL_ALL
  for (int column = 0; column < 3; ++column) kiln::store_pack(row + 2 * column, sum[column]);
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_multiply multiply(T* __restrict__ c, const T* __restrict__ a,
                                                                const T* __restrict__ b, const Params p) {
  __shared__ Word shared[Params::ahead ? 2 : 1][kTileWords];
  const long long sites = site_count(p);
  const int item = int(threadIdx.x);
  long long first = (long long)blockIdx.x * kTile;
  const long long step = (long long)gridDim.x * kTile;
  const auto sites_from = [&](long long site) { return int(sites - site < kTile ? sites - site : kTile); };

  Word words[kMoves];
  const T* from = a + first * kStride;
  for_each_word(sites_from(first), [&](int m, int, int place) { words[m] = load(from + place); });
  for (int turn = 0;; turn ^= 1) {
    Word* const tile = shared[turn];
    for_each_word(sites_from(first), [&](int m, int word, int) { tile[word] = words[m]; });
    __syncthreads();

    const long long next = first + step;
    if (Params::ahead && next < sites) {
      from = a + next * kStride;
      for_each_word(sites_from(next), [&](int m, int, int place) { words[m] = load(from + place); });
    }
    KILN_UNROLL_ALL
    for (int round = 0; round < kRounds; ++round) {
      const int row = round * kBlock + item;
      multiply_row(reinterpret_cast<T*>(tile) + row * kRowNumbers,
                   b + (kAlike ? item : row) % kRows / 3 * kLinkNumbers);
    }
    __syncthreads();

    T* const to = c + first * kStride;
    for_each_word(sites_from(first), [&](int, int word, int place) { store(to + place, tile[word]); });
    if (!Params::ahead || next >= sites) return;
    first = next;
  }
}
