#pragma once

namespace tiles {

/// What an operation's `store` calls: c = relu(alpha scale[row] sum + beta residual + bias[column]), where
/// what a null pointer or 0 stands for is left out. `residual` may be c itself; both have `pitch` elements
/// from one row to the next.
template <class Element, class Sum, bool Relu = false>
struct Epilogue {
  using Out = Element;
  Out* c;
  long long pitch;
  int rows, columns;
  Sum alpha, beta;
  const Out* residual;
  const Out* bias = nullptr;
  const Sum* scale = nullptr;

  KILN_DEVICE bool inside(int row, int column) const { return row < rows && column < columns; }
  KILN_DEVICE Out* address(int row, int column) const { return c + row * pitch + column; }
  /// Whether `count` neighbours, from a multiple of `count` columns on, are all inside or none, and one
  /// aligned access.
  KILN_DEVICE bool wide(int count) const { return pitch % count == 0 && columns % count == 0; }
  /// Of an element that is inside.
  KILN_DEVICE Out value(int row, int column, Sum sum) const {
    Sum result = alpha * sum;
    if (scale != nullptr) result *= scale[row];
    if (beta != 0) result += beta * Sum(residual[row * pitch + column]);
    if (bias != nullptr) result += Sum(bias[column]);
    if (Relu && result < 0) result = 0;
    return Out(result);
  }
  /// Whether that needs more than the sum; else it is Out(alone(sum)).
  KILN_DEVICE bool reads() const { return scale != nullptr || beta != 0 || bias != nullptr; }
  KILN_DEVICE Sum alone(Sum sum) const {
    const Sum result = alpha * sum;
    return Relu && result < 0 ? Sum(0) : result;
  }
};

/// With shared memory on the way (see store_lines).
template <class Element, class Sum>
struct EpilogueByLines : Epilogue<Element, Sum> {
  char* scratch;
};

/// Of an operation that keeps its sums by instruction.
template <class Sum, int Tall, int Wide, int Count>
KILN_DEVICE void clear(Sum (&sums)[Tall][Wide][Count]) {
  KILN_UNROLL_ALL
  for (int i = 0; i < Tall; ++i) {
    KILN_UNROLL_ALL
    for (int j = 0; j < Wide; ++j) {
      KILN_UNROLL_ALL
      for (int e = 0; e < Count; ++e) sums[i][j][e] = 0;
    }
  }
}

template <class Store, class Sum>
KILN_DEVICE void store_one(const Store& store, int row, int column, Sum sum) {
  if (store.inside(row, column)) *store.address(row, column) = store.value(row, column, sum);
}

/// `Count` neighbours of a row, from a multiple of `Count` columns on; sum(e) is the e-th.
template <int Count, class Store, class Sums>
KILN_DEVICE void store_run(const Store& store, int row, int column, const Sums& sum) {
  using Out = typename Store::Out;
  if (store.wide(Count)) {
    if (!store.inside(row, column)) return;
    kiln::Pack<Out, Count> pack;
    KILN_UNROLL_ALL
    for (int e = 0; e < Count; ++e) pack.at[e] = store.value(row, column + e, sum(e));
    kiln::store_pack(store.address(row, column), pack);
  } else {
    KILN_UNROLL_ALL
    for (int e = 0; e < Count; ++e) store_one(store, row, column + e, sum(e));
  }
}

/// Which tile a block has: `group` rows of tiles are walked together, column by column, so that tiles that
/// run at the same time share rows and columns in the caches.
struct TilePlace {
  int row, column;
};
KILN_DEVICE TilePlace tile_place(int index, int down, int across, int group) {
  const int first = index / (group * across) * group;
  const int rest = index % (group * across);
  const int height = down - first < group ? down - first : group;
  return {first + rest % height, rest / height};
}

}  // namespace tiles
