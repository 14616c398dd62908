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
};

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

/// The lane whose number has the bit `mask` clear (`high` false) keeps x and gets its neighbour's x as y; the
/// other one keeps y and gets the neighbour's y as x.
KILN_DEVICE void exchange(unsigned& x, unsigned& y, bool high, int mask) {
  const unsigned other = kiln::shuffle_xor(high ? x : y, mask);
  if (high) {
    x = other;
  } else {
    y = other;
  }
}

/// Four lanes, `apart` from each other, turn 4 x 4 words: lane `quarter` of them gets word `quarter` of each.
KILN_DEVICE void turn(unsigned (&words)[4], int quarter, int apart) {
  exchange(words[0], words[1], quarter % 2 != 0, apart);
  exchange(words[2], words[3], quarter % 2 != 0, apart);
  exchange(words[0], words[2], quarter / 2 != 0, 2 * apart);
  exchange(words[1], words[3], quarter / 2 != 0, 2 * apart);
}

/// 16 x (8 Wide) sums of a warp, as NVIDIA's matrix instructions leave them: sum(j, e) is in row lane / 4 +
/// e / 2 * 8, column j * 8 + lane % 4 * 2 + e % 2. Four lanes that share a row exchange words, so that each
/// stores 16 bytes at once.
template <int Wide, class Store, class Sums>
KILN_DEVICE void store_fragments(const Store& store, int lane, int row, int column, const Sums& sum) {
  using Out = typename Store::Out;
  constexpr int size = int(sizeof(Out));
  constexpr int each = 8 / size;  // pieces of 8 columns that lanes exchange
  const int quarter = lane % 4;
  if constexpr (size == 2 || size == 4) {
    if (Wide % each == 0 && store.wide(16 / size)) {
      KILN_UNROLL_ALL
      for (int low = 0; low < 2; ++low) {
        const int r = row + lane / 4 + low * 8;
        KILN_UNROLL_ALL
        for (int j = 0; j < Wide / each * each; j += each) {
          kiln::Pack<unsigned, 4> words;
          KILN_UNROLL_ALL
          for (int w = 0; w < 4; ++w) {
            const int piece = size == 2 ? w : w / 2;
            kiln::Pack<Out, 4 / size> pack = {};
            KILN_UNROLL_ALL
            for (int e = 0; e < 4 / size; ++e) {
              const int pair = size == 2 ? e : w % 2;
              const int c = column + (j + piece) * 8 + quarter * 2 + pair;
              if (store.inside(r, c)) pack.at[e] = store.value(r, c, sum(j + piece, low * 2 + pair));
            }
            words.at[w] = *reinterpret_cast<const unsigned*>(&pack);
          }
          // Of a piece, or half of one, the lane then has all four words.
          if (size == 2) {
            turn(words.at, quarter, 1);
          } else {
            exchange(words.at[0], words.at[2], quarter % 2 != 0, 1);
            exchange(words.at[1], words.at[3], quarter % 2 != 0, 1);
          }
          const int c = column + (size == 2 ? (j + quarter) * 8 : (j + quarter % 2) * 8 + quarter / 2 * 4);
          if (store.inside(r, c)) kiln::store_pack(reinterpret_cast<unsigned*>(store.address(r, c)), words);
        }
      }
      return;
    }
  }
  KILN_UNROLL_ALL
  for (int j = 0; j < Wide; ++j) {
    KILN_UNROLL_ALL
    for (int low = 0; low < 2; ++low)
      store_run<2>(store, row + lane / 4 + low * 8, column + j * 8 + quarter * 2,
                   [&](int e) { return sum(j, low * 2 + e); });
  }
}

/// 4 columns from `column` on and 8 Wide rows of a product that a warp holds turned: sum(j, e) is in row j *
/// 8 + lane % 4 * 2 + e, column lane / 4 % 4. Four lanes that share rows exchange words, so that each stores
/// neighbours.
template <int Wide, class Store, class Sums>
KILN_DEVICE void store_turned(const Store& store, int lane, int row, int column, const Sums& sum) {
  const int quarter = lane / 4 % 4;
  KILN_UNROLL_ALL
  for (int j = 0; j < Wide; j += 2) {
    unsigned words[4];
    KILN_UNROLL_ALL
    for (int w = 0; w < 4; ++w) words[w] = __float_as_uint(sum(j + w / 2, w % 2));
    turn(words, quarter, 4);
    store_run<4>(store, row + (j + quarter / 2) * 8 + lane % 4 * 2 + quarter % 2, column,
                 [&](int e) { return __uint_as_float(words[e]); });
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
