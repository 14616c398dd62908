#pragma once

#include "kiln/params.h"

#include "../tiles/square.h"

// Elements of any size as they lie in memory; where the tiles of a matrix are.

using Element = tiles::ElementOf<Params::bytes>::Type;

struct Tile {
  long long matrix;
  int row, column;  // of the first element
};

// Tile `index` of all matrices, each `tile_rows` x `tile_columns`. `group` rows of tiles are walked together,
// column by column, so that what runs at the same time reads and writes neighbouring memory.
__device__ inline Tile tile_at(const Params& p, long long index) {
  const unsigned down = unsigned(p.rows - 1) / unsigned(Params::tile_rows) + 1;
  const unsigned across = unsigned(p.columns - 1) / unsigned(Params::tile_columns) + 1;
  const unsigned long long of_matrix = (unsigned long long)down * across;
  const unsigned long long matrix = p.batch == 1 ? 0 : (unsigned long long)index / of_matrix;
  const unsigned long long inside = (unsigned long long)index - matrix * of_matrix;
  const unsigned long long of_group = (unsigned long long)p.group * across;
  const unsigned first = unsigned(inside / of_group) * unsigned(p.group);
  const unsigned rest = unsigned(inside - first * (unsigned long long)across);
  const unsigned height = down - first < unsigned(p.group) ? down - first : unsigned(p.group);
  return {(long long)matrix, int((first + rest % height) * unsigned(Params::tile_rows)),
          int(rest / height * unsigned(Params::tile_columns))};
}

__device__ inline long long all_tiles(const Params& p) {
  const long long down = (p.rows - 1) / Params::tile_rows + 1;
  const long long across = (p.columns - 1) / Params::tile_columns + 1;
  return down * across * p.batch;
}
