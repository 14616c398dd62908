#pragma once

#include "overlap.h"

namespace tiles {

/// What sets products with block scales apart from others: this operation. Another one sums the products of a
/// step, inside of 128 of the depth; they count scale_a[k / 128][row] scale_b[column / 128][k / 128] times.
/// With two `Sets` of sums one is scaled while products of the other one are under way, up to the last of
/// `Turns` steps, which waits for all. With four Turns the lanes that share rows ask for a step each.
template <class Inner, int N, int Sets, int Turns>
struct Scaled : Inner {
  static constexpr int behind = Sets - 1, turns = Turns, singles = 2, step_depth = Inner::LayoutA::depth;
  static_assert(128 % N == 0 && 128 % step_depth == 0, "one scale of B for a tile's step");
  const float *scale_a, *scale_b;
  int rows, columns, depth, row, column, start;
  Inner inner[Sets];
  float scales[Inner::own_rows], next_a[Inner::own_rows], next_b;
  KILN_DEVICE static int inside(int at, int end) { return at < end ? at : end - 1; }
  KILN_DEVICE void ask(int k, int rank) {  // Turns steps' scales; at the edges any will do
    const int part = inside(k + rank % Turns * step_depth, depth) / 128;
    next_b = scale_b[inside(column, columns) / 128 * ((depth + 127) / 128) + part];
    for (int i = 0; i < Inner::own_rows; ++i)
      next_a[i] = scale_a[(long long)part * rows + inside(row + Inner::row_of(rank, i), rows)];
  }
  KILN_DEVICE void begin(int first_row, int first_column, int k, int rank) {
    wait_for_launches_before();
    row = first_row, column = first_column, start = k;
    for (Inner& one : inner) one.begin(row, column, k, rank);
    Inner::begin(row, column, k, rank);
    ask(k, rank);
  }
  KILN_DEVICE void add(Inner& sums, int step, int rank) {
    float scale[Inner::own_rows], scaled[Inner::count];
    for (int i = 0; i < Inner::own_rows; ++i) scale[i] = scales[i];
    if constexpr (Turns > 1)
      for (float& x : scale) x = Inner::of_four(x, step);
    int n = 0, at = 0;
    sums.for_each(rank, [&](int i, int, float sum) { scaled[n++] = scale[i] * sum; });
    Inner::for_each(rank, [&](int, int, float& sum) { sum += scaled[at++]; });
  }
  template <int Turn = 0, class E>
  KILN_DEVICE void step(const E* a, const E* b, int k, int rank) {
    constexpr bool rotates = Sets > 1 && Turn < Turns;
    const int step = Turn < Turns ? Turn : (k - start) / step_depth % Turns;
    if (step == 0) {
      for (int i = 0; i < Inner::own_rows; ++i) scales[i] = next_a[i] * next_b;
      ask(k + Turns * step_depth, rank);
    }
    inner[Turn % Sets].restart();
    inner[Turn % Sets].step(a, b, k, rank);
    if constexpr (rotates && Turn > 0) add(inner[(Turn - 1) % Sets], step - 1, rank);
    if constexpr (rotates && Turn + 1 < Turns) return;
    inner[Turn % Sets].finish(rank);
    add(inner[Turn % Sets], step, rank);
  }
};

}  // namespace tiles
