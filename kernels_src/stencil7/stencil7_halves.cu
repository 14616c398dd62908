#include "stencil7_march.h"

// The second-level cache of NVIDIA's larger GPUs, since the A100, has two halves; each multiprocessor is beside one of
// them, and half of all memory belongs to the other. That comes through the link between the halves, but what
// multiprocessors of both halves read passes it wherever it belongs. So those beside one half work on the lower rows of the
// grid and the others on the upper ones: they share no more than the rows where the two meet.

// Tiles of each half that were handed out, and blocks that are done; a cache line apart.
constexpr int line = 32;
constexpr int done = 2 * line;

// Blocks that stay until no tile is left. Each takes the next tile of its half, later of the other one.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_laplacian_halves laplacian_halves(T* __restrict__ f,
                                                                                const T* __restrict__ u,
                                                                                const int* __restrict__ half,
                                                                                int* __restrict__ queue,
                                                                                const Params p) {
  __shared__ Place drawn[2];
  const bool draws = threadIdx.x == 0 && threadIdx.y == 0;
  const unsigned columns = unsigned(p.nx + p.block_x * vector - 1) / unsigned(p.block_x * vector);
  const unsigned all = rows_of_blocks(p);
  const unsigned split = all / 2;
  const unsigned row_tiles = columns * marches_along_z(p);  // of a row of blocks
  int mine = 0;
  const auto draw = [&](Place& place) {
    for (int turn = 0; turn < 2; ++turn) {
      const unsigned low = mine == 0 ? 0 : split;
      const unsigned high = mine == 0 ? split : all;
      const unsigned ticket = unsigned(atomicAdd(queue + mine * line, 1));
      if (ticket < (high - low) * row_tiles) {
        place = place_in_column(p, ticket / columns, low, high);
        place.column = int(ticket % columns);
        return;
      }
      mine ^= 1;
    }
    place.column = -1;
  };
  if (draws) {
    mine = half[kiln::multiprocessor()] == 1;
    draw(drawn[0]);
  }
  __syncthreads();
  for (int now = 0; drawn[now].column >= 0; now ^= 1) {
    if (draws) draw(drawn[now ^ 1]);
    march(f, u, p, drawn[now]);
    __syncthreads();
  }
  // The last block leaves the queue as it was found.
  if (draws && atomicAdd(queue + done, 1) == int(gridDim.x) - 1) queue[0] = queue[line] = queue[done] = 0;
}
