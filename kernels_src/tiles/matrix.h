#pragma once

// Where the elements of an operand are in memory: a source. Of an operand only `rows` and `depth` count, the
// extent that the product sums over, so that A is m x k and B is n x k whatever their order in memory. A
// source has `rows`, `depth` and
//
// - k_contiguous: whether neighbours along the depth are neighbours in memory, else those along the rows;
// - computes: whether an address takes more than additions;
// - at(row, k): the element, 0 outside; address(row, k): of one that is inside;
// - whole<Count>(row, k): whether the Count elements from there on, in the order of memory, are inside, and
//   one aligned access; none<Count>(row, k): whether all are outside, as far as that is simple to find.

namespace tiles {

/// A matrix with `pitch` elements from one row (or column) to the next. `Inside`: the user asks for nothing
/// outside, and lines are multiples of 16 bytes; checks at every access would cost a fifth of a product's
/// time.
template <class E, bool KContiguous, bool Inside = false>
struct Matrix {
  using Element = E;
  static constexpr bool k_contiguous = KContiguous;
  static constexpr bool computes = false;
  const E* data;
  long long pitch;
  int rows, depth;

  KILN_DEVICE const E* address(int row, int k) const {
    return data + (KContiguous ? row * pitch + k : k * pitch + row);
  }
  KILN_DEVICE E at(int row, int k) const { return row < rows && k < depth ? *address(row, k) : E(0.0f); }
  template <int Count>
  KILN_DEVICE bool whole(int row, int k) const {
    if constexpr (Inside) return true;
    const bool inside = KContiguous ? row < rows && k + Count <= depth : row + Count <= rows && k < depth;
    return inside && pitch % Count == 0;
  }
  template <int>
  KILN_DEVICE bool none(int row, int k) const {
    return row >= rows || k >= depth;
  }
  KILN_DEVICE bool holds(int row, int k, int some_rows, int some_depth) const {
    return row + some_rows <= rows && k + some_depth <= depth;
  }
};

}  // namespace tiles
