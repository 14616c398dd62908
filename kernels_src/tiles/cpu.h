#pragma once

#include "matrix.h"

// For a CPU: panels of both operands are packed, converted to the type of the sums, and multiplied by a
// kernel whose sums stay in registers (Goto, van de Geijn: Anatomy of high-performance matrix multiplication,
// TOMS 34, 2008).

namespace tiles {

/// A panel is a sequence of strips of each_m rows (of A) or each_n (of B), each to[k][row], one after the
/// other for `depth` of k; rows that the operand does not have are 0.
template <class Sum, int EachM>
struct Strips {
  static constexpr int vector_bytes = __BIGGEST_ALIGNMENT__;  // of the processor that is compiled for
  static constexpr int lanes = vector_bytes / int(sizeof(Sum));
  static constexpr int most_rows = vector_bytes == 64 ? 14 : 6;  // two vectors of each are in registers
  static constexpr int rows_that_fit(int rows) {
    return rows <= most_rows || rows % 2 != 0 ? rows : rows_that_fit(rows / 2);
  }
  static constexpr int each_m = rows_that_fit(EachM);
  static constexpr int each_n = 2 * lanes;
  typedef Sum Vector __attribute__((vector_size(vector_bytes)));
  typedef Vector Sums[each_m][2];

  /// The strips of `rows` rows from `first` on, for the depth from k_begin on.
  template <int Each, class Source>
  static void pack(Sum* __restrict__ to, const Source& source, int first, int rows, int k_begin, int depth) {
    const int whole = source.holds(first, k_begin, 1, depth) ? least(rows, source.rows - first) / Each : 0;
    const int strips = (rows + Each - 1) / Each;
    if constexpr (Source::k_contiguous) {
      for (int strip = 0; strip < whole; ++strip) {
        Sum* line = to + strip * Each * depth;
        for (int r = 0; r < Each; ++r) {
          const auto* from = source.address(first + strip * Each + r, k_begin);
          for (int k = 0; k < depth; ++k) line[k * Each + r] = Sum(from[k]);
        }
      }
    } else {
      for (int k = 0; k < depth && whole > 0; ++k) {
        const auto* from = source.address(first, k_begin + k);
        for (int strip = 0; strip < whole; ++strip) {
          for (int r = 0; r < Each; ++r)
            to[(strip * depth + k) * Each + r] = Sum(from[strip * Each + r]);
        }
      }
    }
    for (int row = whole * Each; row < strips * Each; ++row) {
      Sum* line = to + row / Each * Each * depth + row % Each;
      for (int k = 0; k < depth; ++k) line[k * Each] = Sum(source.at(first + row, k_begin + k));
    }
  }
  /// Strips of A, by the pieces of a row that `source` has.
  template <class Source>
  static void pack_computed(Sum* __restrict__ to, const Source& source, int first, int rows, int k_begin,
                            int depth) {
    for (int row = 0; row < (rows + each_m - 1) / each_m * each_m; ++row) {
      Sum* line = to + row / each_m * each_m * depth + row % each_m;
      source.for_pieces(first + row, k_begin, depth, [&](const auto* from, long long apart, int count) {
        for (int k = 0; k < count; ++k) line[k * each_m] = from != nullptr ? Sum(from[k * apart]) : Sum(0);
        line += count * each_m;
      });
    }
  }
  static constexpr int least(int a, int b) { return a < b ? a : b; }

  /// The products of a strip of either side.
  static void multiply(Sums& sums, const Sum* __restrict__ a, const Sum* __restrict__ b, int depth) {
    Sums own = {};
    for (int k = 0; k < depth; ++k) {
      const Vector b0 = *reinterpret_cast<const Vector*>(b + k * each_n);
      const Vector b1 = *reinterpret_cast<const Vector*>(b + k * each_n + lanes);
      KILN_UNROLL_ALL
      for (int i = 0; i < each_m; ++i) {
        own[i][0] += a[k * each_m + i] * b0;
        own[i][1] += a[k * each_m + i] * b1;
      }
    }
    KILN_UNROLL_ALL
    for (int i = 0; i < each_m; ++i) {
      sums[i][0] = own[i][0];
      sums[i][1] = own[i][1];
    }
  }

  /// The products of the panels `left` and `right`, of `m` rows and `n` columns: take(i, j, sums, count) for
  /// each row i of sums, `count` of them from column j on.
  template <class Take>
  static void multiply_panels(const Sum* left, const Sum* right, int m, int n, int depth, const Take& take) {
    for (int j = 0; j < n; j += each_n) {
      for (int i = 0; i < m; i += each_m) {
        Sums sums;
        multiply(sums, left + (long long)i * depth, right + (long long)j * depth, depth);
        for (int r = 0; r < each_m && i + r < m; ++r)
          take(i + r, j, reinterpret_cast<const Sum*>(sums[r]), least(n - j, each_n));
      }
    }
  }
};

/// Both operands packed by a launch before the product: parts of `Depth` of the depth, in each all strips of
/// A's rows, or B's.
template <class Sum, int Depth, int EachM>
struct PackedOperands {
  using Of = Strips<Sum, EachM>;
  Sum *left, *right;  // 64-byte aligned
  int m, n, depth;

  static constexpr long long padded(int rows, int each) { return (long long)(rows + each - 1) / each * each; }
  Sum* left_at(int row, int k) const {
    return left + k * padded(m, Of::each_m) + row * (long long)Of::least(Depth, depth - k);
  }
  Sum* right_at(int column, int k) const {
    return right + k * padded(n, Of::each_n) + column * (long long)Of::least(Depth, depth - k);
  }
  template <class Source>
  void pack_left(const Source& a, int row, int rows, int k) const {
    Of::template pack<Of::each_m>(left_at(row, k), a, row, Of::least(rows, m - row), k,
                                  Of::least(Depth, depth - k));
  }
  template <class Source>
  void pack_right(const Source& b, int column, int columns, int k) const {
    Of::template pack<Of::each_n>(right_at(column, k), b, column, Of::least(columns, n - column), k,
                                  Of::least(Depth, depth - k));
  }

  /// take(row, column, sums, count, k, first, last) for the rows x columns of the product from (row, column)
  /// on, row by row of a strip: the part of what is summed that begins at k, the first one, the last one.
  template <class Take>
  void run(int row, int column, int rows, int columns, const Take& take) const {
    for (int k = 0; k < depth; k += Depth) {
      const int part = Of::least(Depth, depth - k);
      Of::multiply_panels(left_at(row, k), right_at(column, k), Of::least(rows, m - row),
                          Of::least(columns, n - column), part,
                          [&](int i, int j, const Sum* sums, int count) {
                            take(row + i, column + j, sums, count, k, k == 0, k + part == depth);
                          });
    }
  }
};

/// Adds `sums` of a part of the depth, `count` of them from (row, column) on, to those in `line`, or for the
/// last part gives the whole sums to `store`. A count of `Whole` is a constant of the loops.
template <int Whole, class Sum, class Store>
inline void finish_part(Sum* __restrict__ line, const Store& store, int row, int column,
                        const Sum* __restrict__ sums, int count, bool first, bool last) {
  const auto finish = [&](int n) {
    if (last) {
      for (int j = 0; j < n; ++j) {
        const Sum sum = first ? sums[j] : line[j] + sums[j];
        *store.address(row, column + j) = store.value(row, column + j, sum);
      }
    } else if (first) {
      for (int j = 0; j < n; ++j) line[j] = sums[j];
    } else {
      for (int j = 0; j < n; ++j) line[j] += sums[j];
    }
  };
  if (count == Whole) {
    finish(Whole);
  } else {
    finish(count);
  }
}

/// Tiles whose block packs its rows of A, which are a source that computes; B is packed before.
template <class Sum, int M, int N, int Depth, int EachM>
struct PackedRows {
  using Of = Strips<Sum, EachM>;
  static_assert(N % Of::each_n == 0, "whole vectors");

  alignas(64) Sum left[(M + Of::each_m - 1) / Of::each_m * Of::each_m * Depth];

  /// As PackedOperands::run, with `right` of `b`.
  template <class Source, class Take>
  void run(const Source& a, const PackedOperands<Sum, Depth, EachM>& b, int row, int column,
           const Take& take) {
    const int m = Of::least(M, a.rows - row);
    const int n = Of::least(N, b.n - column);
    for (int k = 0; k < b.depth; k += Depth) {
      const int depth = Of::least(Depth, b.depth - k);
      Of::pack_computed(left, a, row, m, k, depth);
      Of::multiply_panels(left, b.right_at(column, k), m, n, depth,
                          [&](int i, int j, const Sum* sums, int count) {
                            take(row + i, column + j, sums, count, k, k == 0, k + depth == b.depth);
                          });
    }
  }
};

}  // namespace tiles
