#pragma once

namespace tiles {

/// What sets products with block scales apart from others: this operation. Another operation sums the
/// products of one step, which lies inside of 128 of the depth; they count as often as the scale of A for
/// (row, k / 128) and that of B for (column / 128, k / 128) say. scale_a[k / 128][row], scale_b[column /
/// 128][k / 128].
template <class Inner, int N>
struct Scaled : Inner {
  static constexpr int behind = 0;
  static_assert(128 % N == 0 && 128 % Inner::LayoutA::depth == 0, "one scale of B for a tile's step");

  const float* scale_a;
  const float* scale_b;
  int rows, columns, blocks;  // `blocks` of 128 along the depth
  int row, column;
  float total[Inner::count];
  float next_a[Inner::own_rows], next_b;  // scales of the next step: they come while products are summed

  KILN_DEVICE Scaled(const float* of_a, const float* of_b, int m, int n, int k)
      : scale_a(of_a), scale_b(of_b), rows(m), columns(n), blocks((k + 127) / 128), row(0), column(0) {}

  KILN_DEVICE void ask(int block, int rank) {
    if (block >= blocks) return;
    next_b = column < columns ? scale_b[column / 128 * blocks + block] : 0;
    KILN_UNROLL_ALL
    for (int i = 0; i < Inner::own_rows; ++i) {
      const int r = row + Inner::row_of(rank, i);
      next_a[i] = r < rows ? scale_a[(long long)block * rows + r] : 0;
    }
  }
  KILN_DEVICE void begin(int first_row, int first_column, int k, int rank) {
    row = first_row, column = first_column;
    KILN_UNROLL_ALL
    for (int n = 0; n < Inner::count; ++n) total[n] = 0;
    ask(k / 128, rank);
  }
  template <class E>
  KILN_DEVICE void step(const E* a, const E* b, int k, int rank) {
    float scales[Inner::own_rows];
    KILN_UNROLL_ALL
    for (int i = 0; i < Inner::own_rows; ++i) scales[i] = next_a[i] * next_b;
    Inner::restart();
    ask((k + Inner::LayoutA::depth) / 128, rank);
    Inner::step(a, b, k, rank);
    Inner::finish();
    int n = 0;
    Inner::for_each(rank, [&](int i, int, float& sum) { total[n++] += scales[i] * sum; });
  }
  template <class Store>
  KILN_DEVICE void store(int rank, int first_row, int first_column, const Store& store) {
    int n = 0;
    Inner::for_each(rank, [&](int, int, float& sum) { sum = total[n++]; });
    Inner::store(rank, first_row, first_column, store);
  }
};

}  // namespace tiles
