#include "transpose.h"

// For a CPU: a work-item turns a tile in pieces of piece x piece elements, which stay in its registers. A
// piece is turned by rounds of interleaving: in each, row r and row r + piece / 2 become rows 2 r and 2 r + 1
// with their elements by turns, which is an unpacking of vectors; after log2(piece) rounds the elements are
// where they belong. Tiles end at the matrix's edges, where elements are moved one by one.

constexpr int piece = Params::pack;

struct Rows {
  Element at[piece][piece];
};

__device__ inline void interleave(Rows& to, const Rows& from) {
  KILN_UNROLL_ALL
  for (int r = 0; r < piece / 2; ++r) {
    KILN_UNROLL_ALL
    for (int e = 0; e < piece / 2; ++e) {
      to.at[2 * r][2 * e] = from.at[r][e];
      to.at[2 * r][2 * e + 1] = from.at[r + piece / 2][e];
      to.at[2 * r + 1][2 * e] = from.at[r][piece / 2 + e];
      to.at[2 * r + 1][2 * e + 1] = from.at[r + piece / 2][piece / 2 + e];
    }
  }
}

__device__ inline void turn_piece(Element* __restrict__ to, const Element* __restrict__ from, long long rows,
                                  long long columns) {
  Rows ping, pong;
  KILN_UNROLL_ALL
  for (int r = 0; r < piece; ++r) {
    KILN_UNROLL_ALL
    for (int e = 0; e < piece; ++e) ping.at[r][e] = from[r * columns + e];
  }
  bool in_ping = true;
  KILN_UNROLL_ALL
  for (int width = piece; width > 1; width /= 2) {
    if (in_ping) {
      interleave(pong, ping);
    } else {
      interleave(ping, pong);
    }
    in_ping = !in_ping;
  }
  const Rows& turned = in_ping ? ping : pong;
  KILN_UNROLL_ALL
  for (int r = 0; r < piece; ++r) {
    KILN_UNROLL_ALL
    for (int e = 0; e < piece; ++e) to[r * rows + e] = turned.at[r][e];
  }
}

extern "C" __global__ void transpose_pieces(Element* __restrict__ out, const Element* __restrict__ in,
                                            const Params p) {
  const Tile tile = tile_at(p, blockIdx.x);
  const Element* __restrict__ from = in + tile.matrix * p.rows * p.columns;
  Element* __restrict__ to = out + tile.matrix * p.rows * p.columns;
  const int row_end = tile.row + Params::tile_rows < p.rows ? tile.row + Params::tile_rows : p.rows;
  const int column_end =
      tile.column + Params::tile_columns < p.columns ? tile.column + Params::tile_columns : p.columns;
  int column = tile.column;
  for (; column + piece <= column_end; column += piece) {
    int row = tile.row;
    for (; row + piece <= row_end; row += piece)
      turn_piece(to + (long long)column * p.rows + row, from + (long long)row * p.columns + column, p.rows,
                 p.columns);
    for (; row < row_end; ++row) {
      for (int e = 0; e < piece; ++e)
        to[(long long)(column + e) * p.rows + row] = from[(long long)row * p.columns + column + e];
    }
  }
  for (; column < column_end; ++column) {
    for (int row = tile.row; row < row_end; ++row)
      to[(long long)column * p.rows + row] = from[(long long)row * p.columns + column];
  }
}
