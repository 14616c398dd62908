#include "transpose.h"

// A tile through shared memory. A work-item moves squares of pack x pack elements: it loads the square's
// rows, each by one access, turns it in registers, and puts its columns, each a pack, into the tile's
// transpose. There pack q of a column stands at q ^ (the square's column), so that neither the writes, which
// go down the columns, nor the reads, which go along them, meet in a bank.

constexpr int pack = Params::pack;
constexpr int squares_across = Params::tile_columns / pack;
constexpr int squares_down = Params::tile_rows / pack;
constexpr int squares = squares_across * squares_down;
constexpr int rounds = squares / Params::block;  // squares of a work-item

using Elements = kiln::Pack<Element, pack>;

struct Square {
  Elements row[pack];
};

__device__ inline Elements load_row(const Element* __restrict__ from, int left, bool whole) {
  Elements row = {};
  if (left >= pack && whole) {
    row = kiln::fetch_pack<pack, Params::fetch>(from);
  } else {
    KILN_UNROLL_ALL
    for (int e = 0; e < pack; ++e) {
      if (e < left) row.at[e] = from[e];
    }
  }
  return row;
}

__device__ inline void store_row(Element* __restrict__ to, const Elements& row, int left, bool whole) {
  if (left >= pack && whole) {
    if (Params::stores == 1 && sizeof(row) >= 4) {
      kiln::stream_store_pack(to, row);
    } else {
      kiln::store_pack(to, row);
    }
  } else {
    KILN_UNROLL_ALL
    for (int e = 0; e < pack; ++e) {
      if (e < left) to[e] = row.at[e];
    }
  }
}

__device__ inline void load_squares(Square (&mine)[rounds], const Element* __restrict__ in, const Params& p,
                                    const Tile& tile) {
  const Element* matrix = in + tile.matrix * p.rows * p.columns;
  KILN_UNROLL_ALL
  for (int n = 0; n < rounds; ++n) {
    const int square = n * Params::block + int(threadIdx.x);
    const int row = tile.row + square / squares_across * pack;
    const int column = tile.column + square % squares_across * pack;
    KILN_UNROLL_ALL
    for (int r = 0; r < pack; ++r) {
      const int left = row + r < p.rows ? p.columns - column : 0;
      mine[n].row[r] =
          load_row(matrix + (long long)(row + r) * p.columns + column, left, p.columns % pack == 0);
    }
  }
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_transpose_tile transpose_tile(Element* __restrict__ out,
                                                                            const Element* __restrict__ in,
                                                                            const Params p) {
  extern __shared__ __align__(16) char memory[];
  Elements* const turned = reinterpret_cast<Elements*>(memory);  // tile_columns x squares_down
  const long long tiles = all_tiles(p);
  Square mine[rounds];
  long long index = blockIdx.x;
  Tile tile = tile_at(p, index);
  load_squares(mine, in, p, tile);
  while (true) {
    KILN_UNROLL_ALL
    for (int n = 0; n < rounds; ++n) {
      const int square = n * Params::block + int(threadIdx.x);
      const int across = square % squares_across;
      const int down = square / squares_across;
      KILN_UNROLL_ALL
      for (int c = 0; c < pack; ++c) {
        Elements column;
        KILN_UNROLL_ALL
        for (int r = 0; r < pack; ++r) column.at[r] = mine[n].row[r].at[c];
        turned[(across * pack + c) * squares_down + (down ^ across % squares_down)] = column;
      }
    }
    const Tile here = tile;
    index += gridDim.x;
    const bool more = Params::stay && index < tiles;
    if (more) {  // on its way while this tile is written
      tile = tile_at(p, index);
      load_squares(mine, in, p, tile);
    }
    __syncthreads();
    Element* matrix = out + here.matrix * p.rows * p.columns;
    KILN_UNROLL_ALL
    for (int n = 0; n < rounds * pack; ++n) {
      const int number = n * Params::block + int(threadIdx.x);
      const int down = number % squares_down;
      const int column = number / squares_down;
      const int left = here.column + column < p.columns ? p.rows - here.row - down * pack : 0;
      store_row(matrix + (long long)(here.column + column) * p.rows + here.row + down * pack,
                turned[column * squares_down + (down ^ column / pack % squares_down)], left,
                p.rows % pack == 0);
    }
    if (!more) return;
    __syncthreads();
  }
}
