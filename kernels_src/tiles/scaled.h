#pragma once

namespace tiles {

/// What sets products with block scales apart from others: this operation. Another one sums the products of a
/// step, inside of 128 of the depth; they count scale_a[k / 128][row] scale_b[column / 128][k / 128] times.
/// If they are under way when its step returns, there are two: one is scaled while the other one sums.
template <class Inner, int N>
struct Scaled {
  using LayoutA = typename Inner::LayoutA;
  using LayoutB = typename Inner::LayoutB;
  static constexpr int block = Inner::block, behind = Inner::behind, turns = behind + 1, turned = 0;
  static_assert(128 % N == 0 && 128 % LayoutA::depth == 0, "one scale of B for a tile's step");
  const float *scale_a, *scale_b;
  int rows, columns, depth, row, column, last;
  Inner inner[turns];
  float scales[turns][Inner::own_rows], total[Inner::count];
  float next_a[Inner::own_rows], next_b;  // they come while products are summed
  KILN_DEVICE void ask(int k, int rank) {
    if (k >= depth) return;
    next_b = column < columns ? scale_b[column / 128 * ((depth + 127) / 128) + k / 128] : 0;
    KILN_UNROLL_ALL
    for (int i = 0; i < Inner::own_rows; ++i) {
      const int r = row + Inner::row_of(rank, i);
      next_a[i] = r < rows ? scale_a[(long long)(k / 128) * rows + r] : 0;
    }
  }
  KILN_DEVICE void begin(int first_row, int first_column, int k, int rank) {
    row = first_row, column = first_column, last = turns - 1;
    for (float& sum : total) sum = 0;
    ask(k, rank);
  }
  template <int Turn>
  KILN_DEVICE void add(int rank) {
    int n = 0;
    inner[Turn].for_each(rank, [&](int i, int, float sum) { total[n++] += scales[Turn][i] * sum; });
  }
  template <int Turn = 0, class E>
  KILN_DEVICE void step(const E* a, const E* b, int k, int rank) {
    for (int i = 0; i < Inner::own_rows; ++i) scales[Turn][i] = next_a[i] * next_b;
    inner[Turn].restart();
    ask(k + LayoutA::depth, rank);
    inner[last = Turn].step(a, b, k, rank);
    if constexpr (Turn > 0) add<0>(rank);
    if constexpr (Turn + 1 == turns) inner[Turn].finish(rank), add<Turn>(rank);
  }
  KILN_DEVICE void finish(int rank) {
    inner[0].finish(rank);
    if (last + 1 < turns) add<0>(rank);
    int n = 0;
    inner[0].for_each(rank, [&](int, int, float& sum) { sum = total[n++]; });
  }
  template <class Store>
  KILN_DEVICE void store(int rank, int first_row, int first_column, const Store& store) const {
    inner[0].store(rank, first_row, first_column, store);
  }
};

}  // namespace tiles
