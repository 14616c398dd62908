#pragma once

#include "copy.h"
#include "epilogue.h"

namespace tiles {

/// Sums of products by fused multiply-adds, on every back end. A work-item has EachM x EachN sums of the
/// tile, in vectors of up to 16 bytes; 4 x 8 neighbours, a warp of 32, share rows and columns.
template <class E, class Sum, int M, int N, int Depth, int EachM, int EachN, bool, bool>
struct Fma {
  static constexpr int vector = 16 / int(sizeof(Sum));
  static constexpr int across = N / EachN;
  static constexpr int down = M / EachM;
  static constexpr int block = across * down;
  static_assert(EachM % vector == 0 && EachN % vector == 0 && across % 8 == 0 && down % 4 == 0,
                "4 x 8 work-items");
  using LayoutA = Layout<E, M, Depth, false, 16>;
  using LayoutB = Layout<E, N, Depth, false, 16>;

  Sum sums[EachM][EachN];

  static constexpr int behind = 0;        ///< steps whose tiles may still be read when `step` returns
  static constexpr int own_rows = EachM;  ///< of a work-item
  static constexpr int count = EachM * EachN;

  /// Nothing is summed yet of the tile at (row, column), from k on.
  KILN_DEVICE void begin(int, int, int, int) {
    KILN_UNROLL_ALL
    for (int i = 0; i < EachM; ++i) {
      KILN_UNROLL_ALL
      for (int j = 0; j < EachN; ++j) sums[i][j] = 0;
    }
  }
  KILN_DEVICE void restart() { begin(0, 0, 0, 0); }
  KILN_DEVICE static int row_of(int rank, int i) {
    const int y = rank / 32 / (across / 8) * 4 + rank % 32 / 8;
    return (i / vector * down + y) * vector + i % vector;
  }
  KILN_DEVICE static int column_of(int rank, int j) {
    const int x = rank / 32 % (across / 8) * 8 + rank % 8;
    return (j / vector * across + x) * vector + j % vector;
  }
  KILN_DEVICE void step(const E* a, const E* b, int, int rank) {
    KILN_UNROLL_ALL
    for (int k = 0; k < Depth; ++k) {
      Sum left[EachM], right[EachN];
      KILN_UNROLL_ALL
      for (int i = 0; i < EachM; i += vector) {
        const auto pack = kiln::load_pack<vector>(a + LayoutA::at(row_of(rank, i), k));
        KILN_UNROLL_ALL
        for (int e = 0; e < vector; ++e) left[i + e] = Sum(pack.at[e]);
      }
      KILN_UNROLL_ALL
      for (int j = 0; j < EachN; j += vector) {
        const auto pack = kiln::load_pack<vector>(b + LayoutB::at(column_of(rank, j), k));
        KILN_UNROLL_ALL
        for (int e = 0; e < vector; ++e) right[j + e] = Sum(pack.at[e]);
      }
      KILN_UNROLL_ALL
      for (int i = 0; i < EachM; ++i) {
        KILN_UNROLL_ALL
        for (int j = 0; j < EachN; ++j) sums[i][j] += left[i] * right[j];
      }
    }
  }
  KILN_DEVICE void finish(int) {}
  /// take(i, column, sum) for each sum, in the own row i, row_of(rank, i) of the tile; always in one order.
  template <class Take>
  KILN_DEVICE void for_each(int rank, const Take& take) {
    KILN_UNROLL_ALL
    for (int i = 0; i < EachM; ++i) {
      KILN_UNROLL_ALL
      for (int j = 0; j < EachN; ++j) take(i, column_of(rank, j), sums[i][j]);
    }
  }
  /// The sums of the tile that begins at (row, column).
  template <class Store>
  KILN_DEVICE void store(int rank, int row, int column, const Store& store) const {
    KILN_UNROLL_ALL
    for (int i = 0; i < EachM; ++i) {
      KILN_UNROLL_ALL
      for (int j = 0; j < EachN; j += vector)
        store_run<vector>(store, row + row_of(rank, i), column + column_of(rank, j),
                          [&](int e) { return sums[i][j + e]; });
    }
  }
};

}  // namespace tiles
