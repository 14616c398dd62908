#pragma once

namespace tiles {

/// c = relu(alpha scale[row] sum + beta residual + bias[column]): what a null pointer or 0 stands for is left
/// out. `residual` may be c itself; both have `pitch` elements from one row to the next.
template <class Out, class Sum, bool Relu = false>
struct Epilogue {
  Out* c;
  long long pitch;
  int rows, columns;
  Sum alpha, beta;
  const Out* residual;
  const Out* bias = nullptr;
  const Sum* scale = nullptr;

  KILN_DEVICE void operator()(int row, int column, Sum sum) const {
    if (row >= rows || column >= columns) return;
    const long long at = row * pitch + column;
    Sum value = alpha * sum;
    if (scale != nullptr) value *= scale[row];
    if (beta != 0) value += beta * Sum(residual[at]);
    if (bias != nullptr) value += Sum(bias[column]);
    if (Relu && value < 0) value = 0;
    c[at] = Out(value);
  }
};

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
