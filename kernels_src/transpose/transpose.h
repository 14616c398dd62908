#pragma once

#include "kiln/params.h"

#include "../tiles/tile_transpose.h"

// Elements of any size as they lie in memory; where the tiles of a matrix are.

using Element = tiles::ElementOf<Params::bytes>::Type;

struct Tile {
  long long matrix;
  int row, column;  // of the first element
};

// Tile `index` of all matrices, each `tile_rows` x `tile_columns`. `group` rows of tiles are walked together,
// column by column, so that what runs at the same time reads and writes neighbouring memory; or columns by
// turns in `fronts` parts of the matrix. There are fewer than 2^31 tiles.
__device__ inline Tile tile_at(const Params& p, long long index) {
  const unsigned down = unsigned(p.rows - 1) / unsigned(Params::tile_rows) + 1;
  const unsigned across = unsigned(p.columns - 1) / unsigned(Params::tile_columns) + 1;
  const unsigned of_matrix = down * across, group = unsigned(p.group) < down ? unsigned(p.group) : down;
  const unsigned matrix = p.batch == 1 ? 0 : unsigned(index) / of_matrix;
  const unsigned inside = unsigned(index) - matrix * of_matrix;
  const unsigned first = group == down ? 0 : inside / (group * across) * group;
  const unsigned rest = inside - first * across;
  const unsigned height = down - first < group ? down - first : group;
  const unsigned nth = rest / height;
  unsigned column = nth;
  if constexpr (Params::fronts > 1) {
    const unsigned part = across / unsigned(Params::fronts);
    if (nth < part * unsigned(Params::fronts))  // what is left comes last
      column = nth % unsigned(Params::fronts) * part + nth / unsigned(Params::fronts);
  }
  return {(long long)matrix, int((first + rest - nth * height) * unsigned(Params::tile_rows)),
          int(column * unsigned(Params::tile_columns))};
}

__device__ inline long long all_tiles(const Params& p) {
  const long long down = (p.rows - 1) / Params::tile_rows + 1;
  const long long across = (p.columns - 1) / Params::tile_columns + 1;
  return down * across * p.batch;
}
