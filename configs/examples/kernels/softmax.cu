// Softmax of each row of a matrix, one block a row: the maximum, the sum of exponentials, then the quotients.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

#include <cfloat>
#include <cstdint>

namespace cg = cooperative_groups;

#define TILE 32

template <typename Operation>
__device__ float block_reduce(cg::thread_block block, float value, float neutral, Operation operation) {
  __shared__ float of_tile[32];
  cg::thread_block_tile<TILE> tile = cg::tiled_partition<TILE>(block);
  value = cg::reduce(tile, value, operation);
  if (tile.thread_rank() == 0) of_tile[block.thread_rank() / TILE] = value;
  block.sync();
  const unsigned int tiles = block.size() / TILE;
  value = tile.thread_rank() < tiles ? of_tile[tile.thread_rank()] : neutral;
  value = cg::reduce(tile, value, operation);
  block.sync();  // before the next use of of_tile
  return value;
}

extern "C" __global__ void __launch_bounds__(1024)
softmax(float* __restrict__ out, const float* __restrict__ in, std::int32_t columns, std::int64_t pitch) {
  cg::thread_block block = cg::this_thread_block();
  const float* row = in + blockIdx.x * pitch;

  float largest = -FLT_MAX;
  for (std::int32_t c = threadIdx.x; c < columns; c += blockDim.x) largest = fmaxf(largest, row[c]);
  largest = block_reduce(block, largest, -FLT_MAX, cg::greater<float>());

  float sum = 0.0f;
  for (std::int32_t c = threadIdx.x; c < columns; c += blockDim.x) sum += __expf(row[c] - largest);
  sum = block_reduce(block, sum, 0.0f, cg::plus<float>());

  const float scale = 1.0f / sum;
  for (std::int32_t c = threadIdx.x; c < columns; c += blockDim.x) {
    out[blockIdx.x * pitch + c] = __expf(row[c] - largest) * scale;
  }
}
