#pragma once

#include "matrix.h"

// For a CPU: panels of both operands are packed, converted to the type of the sums, and multiplied by a
// kernel whose EachM x EachN sums stay in registers (Goto, van de Geijn: Anatomy of high-performance matrix
// multiplication, TOMS 34, 2008).

namespace tiles {

template <class Sum, int M, int N, int Depth, int EachM>
struct Vectors {
  static constexpr int vector_bytes = __BIGGEST_ALIGNMENT__;  // of the processor that is compiled for
  static constexpr int lanes = vector_bytes / int(sizeof(Sum));
  static constexpr int each_n = 2 * lanes;
  static constexpr int strips = (M + EachM - 1) / EachM;
  static_assert(N % each_n == 0, "whole vectors");
  typedef Sum Vector __attribute__((vector_size(vector_bytes)));

  alignas(64) Sum left[strips * EachM * Depth];
  alignas(64) Sum right[N * Depth];

  /// Lines of `Each` rows along the depth: to[strip][k][row].
  template <int Each, class Source>
  static void pack(Sum* __restrict__ to, const Source& source, int first, int rows, int k_begin, int depth) {
    rows = (rows + Each - 1) / Each * Each;
    if (!source.holds(first, k_begin, rows, depth)) {
      for (int row = 0; row < rows; ++row) {
        Sum* line = to + row / Each * Each * Depth + row % Each;
        for (int k = 0; k < depth; ++k) line[k * Each] = Sum(source.at(first + row, k_begin + k));
      }
    } else if (Source::k_contiguous) {
      for (int row = 0; row < rows; ++row) {
        const auto* from = source.address(first + row, k_begin);
        Sum* line = to + row / Each * Each * Depth + row % Each;
        for (int k = 0; k < depth; ++k) line[k * Each] = Sum(from[k]);
      }
    } else {
      for (int k = 0; k < depth; ++k) {
        const auto* from = source.address(first, k_begin + k);
        for (int row = 0; row < rows; row += Each) {
          for (int r = 0; r < Each; ++r) to[row * Depth + k * Each + r] = Sum(from[row + r]);
        }
      }
    }
  }

  /// sums[EachM][each_n] = the products of a strip of either side.
  static void multiply(Vector (&sums)[EachM][2], const Sum* __restrict__ a, const Sum* __restrict__ b,
                       int depth) {
    Vector own[EachM][2] = {};
    for (int k = 0; k < depth; ++k) {
      const Vector b0 = *reinterpret_cast<const Vector*>(b + k * each_n);
      const Vector b1 = *reinterpret_cast<const Vector*>(b + k * each_n + lanes);
      KILN_UNROLL_ALL
      for (int i = 0; i < EachM; ++i) {
        own[i][0] += a[k * EachM + i] * b0;
        own[i][1] += a[k * EachM + i] * b1;
      }
    }
    KILN_UNROLL_ALL
    for (int i = 0; i < EachM; ++i) {
      sums[i][0] = own[i][0];
      sums[i][1] = own[i][1];
    }
  }

  /// take(row, column, sums, count, k, first, last) for each row of sums, `count` of them from `column` on:
  /// the part of what is summed that begins at k, the first one, the last one.
  template <class SourceA, class SourceB, class Take>
  void run(const SourceA& a, const SourceB& b, int row, int column, int k_begin, int k_end,
           const Take& take) {
    for (int k = k_begin; k < k_end; k += Depth) {
      const int depth = k_end - k < Depth ? k_end - k : Depth;
      pack<EachM>(left, a, row, M, k, depth);
      pack<each_n>(right, b, column, N, k, depth);
      for (int j = 0; j < N && column + j < b.rows; j += each_n) {
        for (int i = 0; i < M && row + i < a.rows; i += EachM) {
          Vector sums[EachM][2];
          multiply(sums, left + i * Depth, right + j * Depth, depth);
          for (int r = 0; r < EachM && row + i + r < a.rows && i + r < M; ++r)
            take(row + i + r, column + j, reinterpret_cast<const Sum*>(sums[r]),
                 b.rows - column - j < each_n ? b.rows - column - j : each_n, k, k == k_begin,
                 k + depth == k_end);
        }
      }
    }
  }
};

}  // namespace tiles
