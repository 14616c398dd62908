#include "transpose.h"

// The published structures: a work-item for each element, with or without a tile in shared memory whose rows
// are one element longer than the tile.

constexpr int side = Params::tile_columns;

extern "C" __global__ void KILN_LAUNCH_BOUNDS_transpose_naive transpose_naive(Element* __restrict__ out,
                                                                              const Element* __restrict__ in,
                                                                              const Params p) {
  const Tile tile = tile_at(p, blockIdx.x);
  const int column = tile.column + int(threadIdx.x);
  for (int r = int(threadIdx.y); r < Params::tile_rows; r += int(blockDim.y)) {
    const int row = tile.row + r;
    if (row < p.rows && column < p.columns)
      out[(tile.matrix * p.columns + column) * p.rows + row] =
          in[(tile.matrix * p.rows + row) * p.columns + column];
  }
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_transpose_padded
transpose_padded(Element* __restrict__ out, const Element* __restrict__ in, const Params p) {
  __shared__ Element padded[Params::tile_rows][side + 1];
  const Tile tile = tile_at(p, blockIdx.x);
  const int x = int(threadIdx.x);
  for (int r = int(threadIdx.y); r < Params::tile_rows; r += int(blockDim.y)) {
    const int row = tile.row + r;
    if (row < p.rows && tile.column + x < p.columns)
      padded[r][x] = in[(tile.matrix * p.rows + row) * p.columns + tile.column + x];
  }
  __syncthreads();
  for (int c = int(threadIdx.y); c < side; c += int(blockDim.y)) {
    const int column = tile.column + c;
    if (column < p.columns && tile.row + x < p.rows)
      out[(tile.matrix * p.columns + column) * p.rows + tile.row + x] = padded[x][c];
  }
}
