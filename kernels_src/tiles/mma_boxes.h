#pragma once

#include "mma.h"
#include "wgmma.h"

namespace tiles {

/// Sums of products of doubles by the matrix instructions of a warp (sm_90), of tiles that boxes filled (see
/// Swizzled): a lane has pairs of neighbours along the depth, as in Mma. A warp has EachM x EachN sums.
template <class A, class B, int EachM, int EachN>
struct MmaBoxes {
  using LayoutA = A;
  using LayoutB = B;
  using Small = Mma<double, double, 16, 8, 16, 16, 8, true, true>;
  using Elements = typename Small::Elements;
  static constexpr int warps_across = B::rows / EachN;
  static constexpr int block = 32 * (A::rows / EachM) * warps_across;
  static constexpr int tall = EachM / 16;
  static constexpr int wide = EachN / 8;
  static constexpr int behind = 0;
  static constexpr int turns = 1;
  static constexpr bool turned = false;
  static_assert(block % 128 == 0 && EachM % 16 == 0 && EachN % 16 == 0 && double_deep == 16,
                "whole fragments");

  double sums[tall][wide][4];

  __device__ void begin(int, int, int, int) { clear(sums); }
  __device__ void finish(int) {}
  /// Which of 8 lines of a tile the instruction's line `index` is. Along the depth eight lanes read two lines
  /// at once: in 0 and 4, 1 and 5 and so on they find them in different banks.
  template <class Layout>
  __device__ static int line(int index) {
    return Layout::k_contiguous ? index / 2 + index % 2 * 4 : index;
  }
  /// Where a lane reads: of the first 8 lines that its warp has of a tile, and of the 8 after them.
  template <class Layout>
  struct Places {
    int at[2][4];
    __device__ Places(int first, int lane) {
      const int row = first + line<Layout>(lane / 4);
      KILN_UNROLL_ALL
      for (int i = 0; i < 4; ++i) {
        const int k = i / 2 * 8 + lane % 4 * 2 + i % 2;
        KILN_UNROLL_ALL
        for (int h = 0; h < 2; ++h)
          at[h][i] = Layout::k_contiguous
                         ? (row + h * 8) * 16 + (k / 2 ^ row % 8) * 2 + k % 2
                         : (row / 16 * 16 + k) * 16 + (row % 8 / 2 + h * 4 ^ k % 8) * 2 + row % 2;
      }
    }
    /// Of the `eight`-th 8 lines.
    __device__ Elements load(const double* tile, int eight) const {
      Elements result;
      const double* from = tile + eight / 2 * 256;
      KILN_UNROLL_ALL
      for (int i = 0; i < 4; ++i) {
        if constexpr (!Layout::k_contiguous) {
          result.at[i] = from[at[eight % 2][i]];
        } else if (i % 2 == 0) {
          const auto pair = kiln::load_pack<2>(from + at[eight % 2][i]);
          result.at[i] = pair.at[0];
          result.at[i + 1] = pair.at[1];
        }
      }
      return result;
    }
  };
  __device__ void step(const double* a, const double* b, int, int rank) {
    const Places<A> places_a(rank / 32 / warps_across * EachM, rank % 32);
    const Places<B> places_b(rank / 32 % warps_across * EachN, rank % 32);
    Elements left[tall][2];
    KILN_UNROLL_ALL
    for (int i = 0; i < tall; ++i) {
      KILN_UNROLL_ALL
      for (int h = 0; h < 2; ++h) left[i][h] = places_a.load(a, i * 2 + h);
    }
    KILN_UNROLL_ALL
    for (int j = 0; j < wide; ++j) {
      const Elements right = places_b.load(b, j);
      KILN_UNROLL_ALL
      for (int i = 0; i < tall; ++i) Small::multiply(sums[i][j], left[i], right);
    }
  }
  template <class Store>
  __device__ void store(int rank, int row, int column, const Store& store) const {
    const int r = row + rank / 32 / warps_across * EachM + line<A>(rank % 32 / 4);
    const int c = column + rank / 32 % warps_across * EachN;
    const int pair = rank % 4 * 2;
    KILN_UNROLL_ALL
    for (int i = 0; i < tall; ++i) {
      KILN_UNROLL_ALL
      for (int j = 0; j < wide; ++j) {
        KILN_UNROLL_ALL
        for (int h = 0; h < 2; ++h) {
          if constexpr (B::k_contiguous) {
            store_one(store, r + i * 16 + h * 8, c + j * 8 + line<B>(pair), sums[i][j][h * 2]);
            store_one(store, r + i * 16 + h * 8, c + j * 8 + line<B>(pair + 1), sums[i][j][h * 2 + 1]);
          } else {
            store_run<2>(store, r + i * 16 + h * 8, c + j * 8 + pair,
                         [&](int e) { return sums[i][j][h * 2 + e]; });
          }
        }
      }
    }
  }
};

}  // namespace tiles
