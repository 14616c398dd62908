#include "transpose.h"

// A tile through shared memory.

using Transpose = tiles::TileTranspose<Element, Params::tile_rows, Params::tile_columns, Params::block,
                                       Params::pack, Params::loads == 1, Params::stores == 1>;

__device__ inline void load_tile(Transpose& mine, const Element* __restrict__ in, const Params& p,
                                 const Tile& tile) {
  mine.load(in + tile.matrix * p.rows * p.columns, tile.row, tile.column, p.rows, p.columns,
            int(threadIdx.x));
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_transpose_tile transpose_tile(Element* __restrict__ out,
                                                                            const Element* __restrict__ in,
                                                                            const Params p) {
  extern __shared__ __align__(16) char memory[];
  Transpose::Elements* const turned = reinterpret_cast<Transpose::Elements*>(memory);
  const long long tiles = all_tiles(p);
  Transpose mine;
  long long index = blockIdx.x;
  Tile tile = tile_at(p, index);
  load_tile(mine, in, p, tile);
  while (true) {
    mine.put(turned, int(threadIdx.x));
    const Tile here = tile;
    index += gridDim.x;
    const bool more = Params::stay && index < tiles;
    if (more) {  // on its way while this tile is written
      tile = tile_at(p, index);
      load_tile(mine, in, p, tile);
    }
    __syncthreads();
    Transpose::store(out + here.matrix * p.rows * p.columns, turned, here.row, here.column, p.rows, p.columns,
                     int(threadIdx.x));
    if (!more) return;
    __syncthreads();
  }
}
