#pragma once

#include "mma.h"

namespace tiles {

/// Products of float by NVIDIA's matrix instructions with nearly all bits: each number is the sum of two of
/// tf32, and three of the four products are added (the fourth is below the rounding of float).
template <class E, class Sum, int M, int N, int Depth, int EachM, int EachN, bool KOfA, bool KOfB>
struct Split : Mma<float, float, M, N, Depth, EachM, EachN, KOfA, KOfB> {
  using Base = Mma<float, float, M, N, Depth, EachM, EachN, KOfA, KOfB>;
  using typename Base::LayoutA;
  using typename Base::LayoutB;
  using Multiply = detail::Instruction<float>;

  struct Parts {
    detail::Fragment high, low;
  };
  KILN_DEVICE static Parts parts_of(const float* line) {
    Parts p;
    const detail::Fragment exact = detail::load_matrices<false>(line);
    KILN_UNROLL_ALL
    for (int w = 0; w < 4; ++w) {  // the instruction drops the bits of `low` that are too many
      p.high.word[w] = exact.word[w] & ~0x1fffu;
      p.low.word[w] = __float_as_uint(__uint_as_float(exact.word[w]) - __uint_as_float(p.high.word[w]));
    }
    return p;
  }
  KILN_DEVICE void step(const float* a, const float* b, int, int rank) {
    const int row = rank / 32 / Base::warps_across * EachM + rank % 16;
    const int column = rank / 32 % Base::warps_across * EachN + rank / 16 % 2 * 8 + rank % 8;
    KILN_UNROLL_ALL
    for (int k = 0; k < Depth; k += 8) {
      Parts left[Base::tall];
      KILN_UNROLL_ALL
      for (int i = 0; i < Base::tall; ++i)
        left[i] = parts_of(a + LayoutA::at(row + i * 16, k + rank / 16 % 2 * 4));
      KILN_UNROLL_ALL
      for (int j = 0; j < Base::wide; j += 2) {
        const Parts right = parts_of(b + LayoutB::at(column + j * 8, k + rank / 8 % 2 * 4));
        add(left, &Parts::low, right.high, j);
        add(left, &Parts::high, right.low, j);
        add(left, &Parts::high, right.high, j);
      }
    }
  }

 private:
  KILN_DEVICE void add(const Parts (&left)[Base::tall], detail::Fragment Parts::*part,
                       const detail::Fragment& right, int j) {
    KILN_UNROLL_ALL
    for (int n = 0; n < 2; ++n) {
      KILN_UNROLL_ALL
      for (int i = 0; i < Base::tall; ++i)
        Multiply::multiply(this->sums[i][j + n], left[i].*part, right.word[n * 2], right.word[n * 2 + 1]);
    }
  }
};

}  // namespace tiles
