#pragma once

#include "wgmma.h"

namespace tiles {

/// Sums of products of floats by fused multiply-adds, of tiles that boxes filled (see Swizzled): work-items
/// that compute do nothing but load from shared memory and multiply. Each has EachM x EachN sums; 4 x 8
/// neighbours, a warp, share rows and columns, and read from different banks.
template <class A, class B, int EachM, int EachN>
struct FmaBoxes {
  using LayoutA = A;
  using LayoutB = B;
  static constexpr int down = A::rows / EachM;
  static constexpr int across = B::rows / EachN;
  static constexpr int block = down * across;
  static constexpr int behind = 0;
  static constexpr int turns = 1;
  static constexpr bool turned = false;
  static_assert(sizeof(typename A::Element) == 4 && block % 128 == 0 && EachM % 4 == 0 && EachN % 4 == 0 &&
                    down % 8 == 0 && across % 8 == 0,
                "4 x 8 work-items, and rows that agree modulo 8");

  float sums[EachM][EachN];

  __device__ void begin(int, int, int, int) {
    KILN_UNROLL_ALL
    for (int i = 0; i < EachM; ++i) {
      KILN_UNROLL_ALL
      for (int j = 0; j < EachN; ++j) sums[i][j] = 0;
    }
  }
  __device__ void finish(int) {}
  /// Along the depth a work-item's rows are `Apart` from each other, so that one offset serves all; else they
  /// come in fours.
  template <class Layout, int Apart>
  __device__ static int line_of(int place, int i) {
    return Layout::k_contiguous ? i * Apart + place : (i / 4 * Apart + place) * 4 + i % 4;
  }
  __device__ static int row_of(int rank, int i) {
    return line_of<A, down>(rank / 32 / (across / 8) * 4 + rank % 32 / 8, i);
  }
  __device__ static int column_of(int rank, int j) {
    return line_of<B, across>(rank / 32 % (across / 8) * 8 + rank % 8, j);
  }
  /// Where a work-item reads of a tile: for each of 8 neighbours along the depth an offset in bytes, which
  /// the swizzle makes another one for each. Along the depth four neighbours are read at once.
  template <class Layout>
  struct Offsets {
    unsigned at[8];
    __device__ explicit Offsets(int place) {
      KILN_UNROLL_ALL
      for (int k = 0; k < 8; ++k)
        at[k] = Layout::k_contiguous ? unsigned(place * 128 + (k / 4 ^ place % 2) * 16)
                                     : unsigned(place / 8 * 4096 + k * 128 + (place % 8 ^ k) * 16);
    }
    /// Of the `eight`-th 8 neighbours.
    __device__ static unsigned begin(int place, int eight) {
      return Layout::k_contiguous ? unsigned((eight ^ place % 8 / 2) * 32) : unsigned(eight * 1024);
    }
  };
  /// values[e][i]: of the own line i and the e-th of the `half`-th four of 8 neighbours along the depth.
  template <class Layout, int Each, int Apart>
  __device__ static void load(float (&values)[4][Each], const char* tile, const Offsets<Layout>& offsets,
                              int half) {
    KILN_UNROLL_ALL
    for (int e = 0; e < 4; ++e) {
      KILN_UNROLL_ALL
      for (int i = 0; i < Each / 4; ++i) {
        const int line = Layout::k_contiguous ? (i * 4 + e) * Apart * 128 : i * Apart * 512;
        const float4 v = *reinterpret_cast<const float4*>(
            tile + offsets.at[half * 4 + (Layout::k_contiguous ? 0 : e)] + line);
        const float four[4] = {v.x, v.y, v.z, v.w};
        KILN_UNROLL_ALL
        for (int n = 0; n < 4; ++n)
          (Layout::k_contiguous ? values[n][i * 4 + e] : values[e][i * 4 + n]) = four[n];
      }
    }
  }
  __device__ void step(const float* a, const float* b, int, int rank) {
    const int y = rank / 32 / (across / 8) * 4 + rank % 32 / 8;
    const int x = rank / 32 % (across / 8) * 8 + rank % 8;
    const Offsets<A> offsets_a(y);
    const Offsets<B> offsets_b(x);
    KILN_UNROLL(1)  // a longer text would not stay in the cache of instructions
    for (int eight = 0; eight < 4; ++eight) {
      const char* lines_a = reinterpret_cast<const char*>(a) + Offsets<A>::begin(y, eight);
      const char* lines_b = reinterpret_cast<const char*>(b) + Offsets<B>::begin(x, eight);
      KILN_UNROLL_ALL
      for (int half = 0; half < 2; ++half) {
        float left[4][EachM], right[4][EachN];
        load<A, EachM, down>(left, lines_a, offsets_a, half);
        load<B, EachN, across>(right, lines_b, offsets_b, half);
        KILN_UNROLL_ALL
        for (int e = 0; e < 4; ++e) {
          KILN_UNROLL_ALL
          for (int i = 0; i < EachM; ++i) {
            KILN_UNROLL_ALL
            for (int j = 0; j < EachN; ++j) sums[i][j] += left[e][i] * right[e][j];
          }
        }
      }
    }
  }
  template <class Store>
  __device__ void store(int rank, int row, int column, const Store& store) const {
    KILN_UNROLL_ALL
    for (int i = 0; i < EachM; ++i) {
      KILN_UNROLL_ALL
      for (int j = 0; j < EachN; j += 4) {
        if constexpr (B::k_contiguous) {
          KILN_UNROLL_ALL
          for (int e = 0; e < 4; ++e)
            store_one(store, row + row_of(rank, i), column + column_of(rank, j + e), sums[i][j + e]);
        } else {
          store_run<4>(store, row + row_of(rank, i), column + column_of(rank, j),
                       [&](int e) { return sums[i][j + e]; });
        }
      }
    }
  }
};

}  // namespace tiles
