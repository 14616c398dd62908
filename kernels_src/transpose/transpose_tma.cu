#include "transpose.h"

#include "../tiles/tma.h"

// Tiles by the tensor memory accelerator (NVIDIA, from sm_90 on): it copies boxes, 128 bytes wide, between
// global and shared memory, clips them at the edges, and swizzles them: 16-byte chunk k of row r stands at k
// ^ r % 8. Between two boxes a work-item turns squares of 16 x 16 bytes, P x P elements, in registers. The
// chunk that a work-item reads in row q P + i is k ^ (q P + i) % 8, the one that it writes in row k P + j is
// q ^ (k P + j) % 8; eight neighbours take k = l, q = l ^ s, for which both are different from each other, or
// at P = 1, where that fails, k = l and q = s.

constexpr int per_chunk = 16 / Params::bytes;
constexpr int per_row = 128 / Params::bytes;              // elements of a box's row
constexpr int boxes_in = Params::tile_columns / per_row;  // of tile_rows x 128 bytes
constexpr int boxes_out = Params::tile_rows / per_row;    // of tile_columns x 128 bytes
constexpr int tile_bytes = Params::tile_rows * Params::tile_columns * Params::bytes;
constexpr int chunks = Params::tile_rows / per_chunk * (Params::tile_columns / per_chunk);
constexpr int stages = Params::stages;

using Chunk = kiln::Pack<Element, per_chunk>;

__device__ inline void turn_square(char* to, const char* from, int square) {
  const int block = square / 64;  // of 8 x 8 squares, 128 x 128 bytes
  const int l = square % 8;
  const int s = square % 64 / 8;
  const int k = l;
  const int q = per_chunk == 1 ? s : l ^ s;
  const int box_in = block % boxes_in;
  const int box_out = block / boxes_in;
  const int row = box_out * per_row + q * per_chunk;
  const int column = box_in * per_row + k * per_chunk;
  Chunk rows[per_chunk];
  KILN_UNROLL_ALL
  for (int i = 0; i < per_chunk; ++i)
    rows[i] = *reinterpret_cast<const Chunk*>(from + (box_in * Params::tile_rows + row + i) * 128 +
                                              ((k ^ (row + i) % 8) * 16));
  KILN_UNROLL_ALL
  for (int j = 0; j < per_chunk; ++j) {
    Chunk turned;
    KILN_UNROLL_ALL
    for (int i = 0; i < per_chunk; ++i) turned.at[i] = rows[i].at[j];
    *reinterpret_cast<Chunk*>(to + (box_out * Params::tile_columns + column + j) * 128 +
                              ((q ^ (column + j) % 8) * 16)) = turned;
  }
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_transpose_tma transpose_tma(
    const __grid_constant__ CUtensorMap out, const __grid_constant__ CUtensorMap in, const Params p) {
  extern __shared__ char memory[];
  char* boxes = tiles::align_shared(memory, 1024);
  char* turned = boxes + stages * tile_bytes;  // two
  __shared__ tiles::Barrier full[stages];
  const long long all = all_tiles(p);
  const bool copies = threadIdx.x == 0;
  const auto load = [&](long long index, int stage) {
    const Tile tile = tile_at(p, index);
    full[stage].expect(tile_bytes);
    for (int box = 0; box < boxes_in; ++box)
      tiles::load_box(boxes + stage * tile_bytes + box * Params::tile_rows * 128, in, full[stage],
                      (tile.column + box * per_row) * Params::bytes, tile.row, int(tile.matrix));
  };
  if (copies) {
    for (int stage = 0; stage < stages; ++stage) full[stage].init(1);
    tiles::fence_barriers();
    for (int stage = 0; stage < stages; ++stage) {
      const long long index = blockIdx.x + (long long)stage * gridDim.x;
      if (index < all) load(index, stage);
    }
  }
  __syncthreads();
  int stage = 0;
  unsigned phase = 0;
  int half = 0;
  for (long long index = blockIdx.x; index < all; index += gridDim.x) {
    full[stage].wait(phase);
    if (copies) tiles::wait_stores_read<1>();  // the store before the last has left this half
    __syncthreads();
    KILN_UNROLL_ALL
    for (int n = 0; n < chunks / Params::block; ++n)
      turn_square(turned + half * tile_bytes, boxes + stage * tile_bytes,
                  n * Params::block + int(threadIdx.x));
    tiles::fence_shared_for_copies();
    __syncthreads();
    if (copies) {
      const Tile tile = tile_at(p, index);
      for (int box = 0; box < boxes_out; ++box)
        tiles::store_box(out, turned + half * tile_bytes + box * Params::tile_columns * 128,
                         (tile.row + box * per_row) * Params::bytes, tile.column, int(tile.matrix));
      tiles::commit_stores();
      const long long next = index + (long long)stages * gridDim.x;
      if (next < all) load(next, stage);
    }
    half ^= 1;
    if (++stage == stages) {
      stage = 0;
      phase ^= 1;
    }
  }
  if (copies) tiles::wait_stores_read<0>();  // shared memory is theirs until then
}
